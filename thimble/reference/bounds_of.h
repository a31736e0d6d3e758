// SPDX-License-Identifier: Apache-2.0
// What values each operator can give, in the file of its name, and what several share. Private to
// thimble/reference.
#pragma once

#include <vector>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/fixed_point.h"
#include "thimble/reference/value_range.h"
#include "thimble/reference/window.h"

namespace thimble::reference {

/// An operator and what is known of its inputs.
struct BoundsContext {
  const Graph& graph;
  const Op& op;
  const std::vector<ValueRanges>& of_tensors;

  [[nodiscard]] const Tensor& input(size_t i) const { return graph.tensor(op.inputs.at(i)); }
  [[nodiscard]] const Tensor& output() const { return graph.tensor(op.outputs.at(0)); }
  [[nodiscard]] const ValueRanges& input_bounds(size_t i) const {
    return of_tensors[op.inputs.at(i).index()];
  }
};

// The output; any_value() where no more is known of it. Operators of the audio front end
// (kIsSignal) have none of their own.
#define THIMBLE_OPERATOR(Kind, name) \
  [[nodiscard]] ValueRanges bounds_of(const Kind& op, const BoundsContext& context);
#include "thimble/model/operators.def"

[[nodiscard]] size_t channels_of(const Tensor& tensor);
/// As many intervals as the tensor has channels, all alike.
[[nodiscard]] ValueRanges everywhere(const Tensor& tensor, ValueRange interval);
[[nodiscard]] ValueRanges any_value(const Tensor& tensor);
[[nodiscard]] ValueRange hull(ValueRange a, ValueRange b);
/// The hull of at least one interval.
[[nodiscard]] ValueRange hull(const ValueRanges& intervals);
/// Intervals of the elements in row-major order, with another extent of the last axis.
[[nodiscard]] ValueRanges reshaped(const ValueRanges& intervals, size_t channels);

/// Taps of the window that fall on the image, along an axis of it: each range of them once.
[[nodiscard]] std::vector<Taps> distinct_taps_of_rows(const Window& window, int64_t in,
                                                      int64_t out);
[[nodiscard]] std::vector<Taps> distinct_taps_of_columns(const Window& window, int64_t in,
                                                         int64_t out);

/// A function of one value, by its table.
[[nodiscard]] ValueRanges of_each_value(const BoundsContext& context);
/// A function that rises or falls with each of two operands: its values where both are at an end.
/// largest_shift: of the last factor, above which sums may exceed 32 bits.
[[nodiscard]] ValueRanges at_corners(const BoundsContext& context, FixedFactor last,
                                     int largest_shift);
/// ADD and SUB.
[[nodiscard]] ValueRanges of_sum_of_two(const BoundsContext& context);
/// The factor of ADD, SUB and SQUARED_DIFFERENCE from twice the larger scale to the output's.
[[nodiscard]] double ratio_to_output(const BoundsContext& context);
/// Operand i broadcast along the last axis.
[[nodiscard]] ValueRange of_channel(const BoundsContext& context, size_t i, size_t channel);
[[nodiscard]] ValueRanges clamped(const ValueRanges& intervals, ActivationRange range);
/// All that a fused activation lets pass.
[[nodiscard]] ValueRanges within_activation(const BoundsContext& context, Activation activation);

}  // namespace thimble::reference
