// SPDX-License-Identifier: Apache-2.0
// Runs of an order that execute as one group rolled along rows (of images; of sequences: token by
// token), or along rows and columns, images pixel by pixel; and what that needs.
#pragma once

#include <limits>
#include <string>

#include "thimble/analysis/leads.h"
#include "thimble/moves/candidate.h"
#include "thimble/moves/least_rings.h"
#include "thimble/moves/slice_channels.h"
#include "thimble/plan/evaluate.h"
#include "thimble/plan/order_plan.h"

namespace thimble {

enum class Granularity { kRow, kPixel };

struct RollOptions {
  bool in_place = true;  ///< outputs may lie over inputs
  bool collects = true;  ///< a streamed input may be made whole before anything reads it
};

class RolledGroups {
 public:
  static constexpr int64_t kImpossible = std::numeric_limits<int64_t>::max();

  /// All but the options must outlive it.
  RolledGroups(const Dataflow& dataflow, const OrderProblem& problem, const std::vector<int>& order,
               const RollOptions& options);

  /// Bytes live while each instance executes alone, per position; with the output over consumed
  /// input where that is less. kImpossible where rows are delivered, which must not be made whole.
  [[nodiscard]] const std::vector<int64_t>& single_bytes() const { return single_bytes_; }
  /// All pieces of at most `most` instances that need less than the most that one of them needs
  /// otherwise, per position.
  [[nodiscard]] std::vector<GroupCandidate> all(const std::vector<int64_t>& incumbent_bytes,
                                                int most, Granularity granularity) const;
  /// Positions [begin, end) as a group, along each axis that there may be rows along; what reduces
  /// them is finalised behind it. If rows are stored or fetched, with and without
  /// TileLoop::transfers_beside. Without their bytes.
  [[nodiscard]] std::vector<GroupCandidate> groups(int begin, int end,
                                                   Granularity granularity) const;
  /// A piece, not in slices, with tiles of so many rows (by pixels: of so many columns) in place of
  /// one; nothing if it needs incumbent_bytes or more then, or its rows come from or go to a port.
  [[nodiscard]] std::optional<GroupCandidate> in_tiles(GroupCandidate piece, int64_t rows,
                                                       int64_t incumbent_bytes) const;
  /// An output over an input that dies at the position, where that has a lead: per position.
  [[nodiscard]] std::vector<OverlapChoice> over_inputs(int at) const;
  /// That of single_bytes, with its lead; nothing if the instance needs no overlap for them, or
  /// executes in place.
  [[nodiscard]] std::optional<std::pair<OverlapChoice, int64_t>> single_overlap(int at) const;
  /// If nothing leaves out what is impossible: which operator is in the way.
  [[nodiscard]] std::string obstacle() const;
  [[nodiscard]] const OrderBytes& bytes() const { return bytes_; }

 private:
  [[nodiscard]] const Instance& at(int position) const;
  /// Whether it is no transfer, or all of a value can be transferred at once.
  [[nodiscard]] bool moves_whole(const Instance& instance) const;
  /// Along which a copy passes rows of a stream, or records of storage; of others nothing.
  [[nodiscard]] std::optional<int> copied_axis(const Instance& instance) const;
  [[nodiscard]] bool cuts(const Instance& instance, int axis) const;
  [[nodiscard]] bool cuts_anywhere(const Instance& instance, Granularity granularity) const;
  /// Whether it sums over rows that instances from position `begin` on make.
  [[nodiscard]] bool sums_rows(int begin, const Instance& instance) const;
  [[nodiscard]] bool reads_sums(int begin, int end, const Instance& instance) const;
  [[nodiscard]] std::vector<int> row_axes(const Instance& last, Granularity granularity) const;
  /// Whether all of them make rows and columns of those of their operands: images, not tokens.
  [[nodiscard]] bool keeps_axes(int begin, int end) const;
  [[nodiscard]] Group group(int begin, int end, int axis, Granularity granularity) const;
  /// False where it is no group, or needs incumbent_bytes or more in any case.
  bool measure(GroupCandidate& piece, int64_t incumbent_bytes) const;
  /// What a group that begins somewhere is the last to read of what was made before; the largest
  /// that may overlap; and what lies in it alone, at the least.
  struct Through {
    int64_t consumed = 0, largest_in = 0, largest_out = 0;
    LeastRing inside;
    bool follows_rows = true;  ///< all instances: else there may be less inside
  };
  /// Adds the instance at position k to a group that begins at `begin`.
  void pass_through(int begin, int k, Through& through) const;
  [[nodiscard]] bool passes_rows(const Instance& instance) const;  ///< receives or delivers
  /// False where a group of positions [begin, end) delivers what is made before it, or receives
  /// what is read behind it and must not be collected.
  [[nodiscard]] bool rows_pass(int begin, int end) const;

  const Dataflow& flow_;
  const OrderProblem& problem_;
  const std::vector<int>& order_;
  const RollOptions options_;
  OrderBytes bytes_;
  InputLeads leads_;
  std::vector<LeastRing> least_rings_;
  std::vector<int64_t> single_bytes_;
};

/// The rolled group, and what finalises its sums, inside of a group over channels of the same
/// instances.
[[nodiscard]] Group roll_inside(const Dataflow& dataflow, const ChannelGroup& channels,
                                const GroupCandidate& rolled);

}  // namespace thimble
