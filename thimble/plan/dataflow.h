// SPDX-License-Identifier: Apache-2.0
// Who makes and who reads the values of instances, and what lies and follows how.
#pragma once

#include <span>
#include <vector>

#include "thimble/analysis/axis_graph.h"
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
  /// Tensor and shape of a value, or of what a value of sums belongs to.
  [[nodiscard]] TensorId tensor(ValueId value) const;
  [[nodiscard]] const Shape& shape(ValueId value) const;
  /// The type of a value of sums.
  [[nodiscard]] DType sums_type(ValueId sums) const {
    return sums_types[sums.index() - instances.values.size()];
  }
  /// The buffer of all of the value, as it lies in memory, or of its sums.
  [[nodiscard]] Buffer whole_buffer(ValueId value) const;
  /// Whether only axes of one index lie outside of this one in memory, where the value is whole.
  [[nodiscard]] bool lies_outermost(ValueId value, int axis) const;
  /// Whether, inside of its outermost axis, an image's pixels follow one another.
  [[nodiscard]] bool lies_by_pixels(ValueId value) const;
  [[nodiscard]] ValueId made_by(const InstanceCall& call) const;
  [[nodiscard]] std::span<const ValueId> read_by(
      const InstanceCall& call) const;  ///< constants included
  /// Bytes of all of the value, or of its sums; 0 outside of the arena.
  [[nodiscard]] int64_t size_bytes(ValueId value) const;
  [[nodiscard]] int64_t scratch_bytes(const InstanceCall& call) const;
  /// What operand k of the call follows along an axis of what it makes; null if it does not.
  [[nodiscard]] const Connection* connection(const InstanceCall& call, size_t k, int axis) const;
};

}  // namespace thimble
