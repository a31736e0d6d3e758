// SPDX-License-Identifier: Apache-2.0
// What the bounds of single operators are made of. Private to thimble/reference.
#pragma once

#include <optional>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/bounds.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/window.h"

namespace thimble::reference {

/// Sums before they are brought to 8 bits.
struct SumBounds {
  int64_t low = 0, high = 0;
};

/// An operator and what is known of its inputs.
struct BoundsContext {
  const Graph& graph;
  const Op& op;
  const std::vector<ValueRanges>& of_tensors;

  [[nodiscard]] const Tensor& input(size_t i) const { return graph.tensor(op.inputs.at(i)); }
  [[nodiscard]] const Tensor& output() const { return graph.tensor(op.outputs.at(0)); }
  [[nodiscard]] const ValueRanges& of(size_t i) const {
    return of_tensors[op.inputs.at(i).index()];
  }
};

[[nodiscard]] size_t channels_of(const Tensor& tensor);
/// As many intervals as the tensor has channels, all alike.
[[nodiscard]] ValueRanges everywhere(const Tensor& tensor, ValueRange interval);
[[nodiscard]] ValueRanges any_value(const Tensor& tensor);
[[nodiscard]] ValueRange hull(ValueRange a, ValueRange b);
/// The hull of at least one interval.
[[nodiscard]] ValueRange hull(const ValueRanges& intervals);
/// Intervals of the elements in row-major order, with another extent of the last axis.
[[nodiscard]] ValueRanges reshaped(const ValueRanges& intervals, size_t channels);

/// requantise() of all sums of an interval: it rises with the sum, unless 32 bits overflow; then
/// any value of the range.
[[nodiscard]] ValueRange requantised(SumBounds sum, FixedFactor factor, int32_t zero_point,
                                     ActivationRange range);

/// The ways in which taps of the window fall on an axis of the image, each once.
[[nodiscard]] std::vector<Taps> ways_of_rows(const Window& window, int64_t in, int64_t out);
[[nodiscard]] std::vector<Taps> ways_of_columns(const Window& window, int64_t in, int64_t out);

[[nodiscard]] ValueRanges bounds_of(const Conv2D& op, const BoundsContext& context);
[[nodiscard]] ValueRanges bounds_of(const DepthwiseConv2D& op, const BoundsContext& context);
[[nodiscard]] ValueRanges bounds_of(const FullyConnected& op, const BoundsContext& context);
[[nodiscard]] ValueRanges bounds_of(const BatchMatMul& op, const BoundsContext& context);
[[nodiscard]] ValueRanges bounds_of(const Mean& op, const BoundsContext& context);
[[nodiscard]] ValueRanges bounds_of(const Sum& op, const BoundsContext& context);

}  // namespace thimble::reference
