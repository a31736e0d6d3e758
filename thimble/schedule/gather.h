// SPDX-License-Identifier: Apache-2.0
// Operands that lie in several buffers: the pieces of a step that need one of them each, and copies
// of what none of them holds.
//
//   x rows [0, 6) in b0, [6, 12) in b1
//   add x, y -> z     rows [0, 6) from b0, rows [6, 12) from b1
//   conv 3x3 of x     rows [0, 5) from b0, rows [7, 12) from b1; 5 and 6 need both: malformed
//   gathered          copy x rows [4, 8) from {b0, b1} into b2; conv reads {b0, b2, b1}
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "thimble/regions/access_map.h"
#include "thimble/schedule/schedule.h"

namespace thimble {

/// A part of a step that reads each operand from one buffer.
struct Piece {
  Step step;
  Region within;          ///< its region is cut to it
  Interval chunk_within;  ///< its chunk is cut to it
};
[[nodiscard]] Region piece_region(const Piece& piece, const Counters& counters, const Shape& out);

class Gathers {
 public:
  /// Both must outlive this.
  Gathers(const Graph& graph, const Schedule& schedule);

  /// In the order in which they are executed; the step itself if it reads single buffers. Or why
  /// there are none: a part of the output that no one buffer serves, buffers that are no blocks of
  /// one tensor, or borders whose place among those of the region no expression says.
  [[nodiscard]] std::variant<std::vector<Piece>, std::string> pieces(const Step& step) const;

 private:
  friend class Gatherer;
  /// An interval of the step along one axis of its output, or of its chunk.
  struct Along {
    IntervalExpr expr;
    Interval within;
  };
  /// Outputs that one buffer serves; no bound: as far as there are any.
  struct Served {
    std::optional<IndexExpr> begin, end;
    BufferId buffer;
  };
  struct Gap {
    IndexExpr begin, end;
  };
  /// One operand's blocks, seen from the output.
  struct Blocks {
    size_t axis = 0;  ///< in which they differ, of the operand
    /// Axis of the output; kChunk: of the chunk; kAll: each output needs all of the operand's axis.
    int out_axis = 0;
    std::vector<Served> served;  ///< ascending
  };
  struct Split {
    std::vector<Served> parts;  ///< disjoint
    std::vector<Gap> gaps;
  };
  static constexpr int kChunk = -1, kAll = -2;

  [[nodiscard]] Piece whole_piece(const Step& step) const;
  [[nodiscard]] Along along(const Piece& piece, int out_axis) const;
  [[nodiscard]] std::variant<Blocks, std::string> blocks(const Step& step, size_t operand) const;
  [[nodiscard]] std::vector<Served> served(const AxisMap& map, int64_t extent,
                                           const std::vector<BufferId>& from, size_t axis) const;
  [[nodiscard]] AxisMap map_of(const Step& step, size_t operand, size_t axis) const;
  [[nodiscard]] Split split(const Blocks& blocks, const Along& along) const;
  [[nodiscard]] std::string narrow(Piece& piece, int out_axis, const Served& part) const;
  [[nodiscard]] std::string add_pieces(const Piece& piece, size_t operand,
                                       std::vector<Piece>& pieces) const;
  [[nodiscard]] bool never_above(const IndexExpr& a, const IndexExpr& b) const;
  [[nodiscard]] bool starts_at(const Along& along, const IndexExpr& at) const;
  [[nodiscard]] bool ends_by(const Along& along, const IndexExpr& at) const;

  const Graph& graph_;
  const Schedule& schedule_;
  std::vector<AccessMap> maps_;
  std::vector<int64_t> counts_;  ///< of loops
};

/// The schedule with a copy before each step that needs one: of the border between two buffers
/// where windows cross it, of all that they hold where each output needs all.
[[nodiscard]] Schedule gathered(const Graph& graph, Schedule schedule);

}  // namespace thimble
