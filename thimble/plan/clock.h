// SPDX-License-Identifier: Apache-2.0
// The clock of one tile loop: which positions of each value every tile computes, from the access
// maps alone. Loops of a tree are derived one by one, as regions are separable by axis.
//
// A value with a positions for every b tiles is complete up to end(i) = floor((a i + phase) / b)
// after tile i. Phases are as late as the readers allow: going backwards, a position must be there
// in the tile in which the first position that reads it is computed. What lies outside of a tensor
// is cut off; so nobody needs a prologue, and borders are nothing special. A ring holds the most
// that is produced and still needed.
//
//   conv 3x3 stride 2 -> t -> depthwise 3x3 -> u; t + u -> y      as many tiles as y has rows, and
//   1
//     conv       t row i          from input rows up to 2 i + 1
//     depthwise  u row i - 1      from t rows i - 2 .. i         ring of t: 3 rows
//     add        y row i - 1      from t and u row i - 1         ring of u: 1 row
//
// A value that is computed again (Border::kAgain) begins in each tile where its readers in that
// tile begin to read, and has the tiles of its readers, none before them to warm up. What is read
// outside of the loop is full, and computed once whatever the loop says.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "thimble/analysis/axis_graph.h"
#include "thimble/analysis/beat.h"
#include "thimble/plan/plan.h"

namespace thimble {

/// Instances with what every question to them needs. All must outlive it.
struct Dataflow {
  Dataflow(const AxisGraph& axis_graph, const Instances& dataflow);

  const Graph& graph;
  const AxisGraph& axes;
  const Instances& instances;
  std::vector<InstanceId> maker;                 ///< per value
  std::vector<std::vector<InstanceId>> readers;  ///< per value, ascending
  std::vector<bool> is_output;                   ///< per value: an output that lies in memory
  std::vector<int64_t> compute_scratch_bytes;    ///< per operator
  std::vector<ValueId> sums_value;               ///< per value: sums_of
  std::vector<Connection> same_axis;             ///< per axis: of a copy
  /// Per value, of its sums if it has any: what the graph says, unless a search or a plan (sum_in)
  /// has them narrower.
  std::vector<DType> sums_types;

  void sum_in(const std::vector<Accumulator>& accumulators);

  /// The value that stands for the sums of another, which a call that accumulates makes and one
  /// that finalises reads.
  [[nodiscard]] ValueId sums_of(ValueId value) const;
  [[nodiscard]] bool is_sums(ValueId value) const;
  [[nodiscard]] bool is_constant(ValueId value) const;
  /// Of a value, or of what a value of sums belongs to.
  [[nodiscard]] TensorId tensor(ValueId value) const;
  [[nodiscard]] const Shape& shape(ValueId value) const;
  /// Of a value of sums.
  [[nodiscard]] DType sums_type(ValueId sums) const {
    return sums_types[sums.index() - instances.values.size()];
  }
  [[nodiscard]] ValueId made_by(const InstanceCall& call) const;
  [[nodiscard]] std::span<const ValueId> read_by(
      const InstanceCall& call) const;  ///< constants included
  /// Of all of the value, or of its sums; 0 outside of the arena.
  [[nodiscard]] int64_t size_bytes(ValueId value) const;
  [[nodiscard]] int64_t scratch_bytes(const InstanceCall& call) const;
  /// What operand k of the call follows along an axis of what it makes; null if it does not.
  [[nodiscard]] const Connection* connection(const InstanceCall& call, size_t k, int axis) const;
};

/// What one call does in each tile.
struct TiledCall {
  int axis = 0;          ///< of what it makes; if it reduces, of its operand 0
  Beat beat;             ///< along it
  bool reduces = false;  ///< adds the tile's positions of operand 0 to sums of full extent
  Border border = Border::kRoll;
  /// Positions of what it makes that are produced and still needed, at the most; 0: it is read
  /// outside of the loop, and full.
  int64_t held = 0;
  bool operator==(const TiledCall&) const = default;
};

struct Clock {
  int64_t tiles = 0;
  std::vector<TiledCall> calls;  ///< one per call given
  bool operator==(const Clock&) const = default;
};

/// calls: of the loop's group, in order. Nothing if a value made inside does not follow the loop or
/// is read before it is complete, axes have nothing to do with each other, or a slice would have to
/// be carried from one tile to the next.
[[nodiscard]] std::optional<Clock> clock_of(const Dataflow& dataflow,
                                            const std::vector<InstanceCall>& calls,
                                            const TileLoop& loop);

}  // namespace thimble
