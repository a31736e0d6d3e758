// SPDX-License-Identifier: Apache-2.0
// What values each channel can take, over all inputs: interval arithmetic through the network, in
// the integer arithmetic of the interpreter, so that rounding, saturation and clamps are exact.
//
//   conv 1x1, x in [-128, 127], zero point -128, weight -3, bias -20, ReLU: the sum is within
//   [-785, -20], and the output is -128 whatever the input. Such channels need not be computed.
#pragma once

#include <vector>

#include "thimble/model/graph.h"
#include "thimble/reference/value_range.h"

namespace thimble {

/// Per tensor, constants that operators read as data too. Inputs and variables take any value of
/// their type. The intervals hold every value that an inference can give; they are tight for an
/// operator whose inputs take their values independently of each other.
[[nodiscard]] std::vector<ValueRanges> channel_bounds(const Graph& graph);

/// The output of one operator, the intervals of its inputs given. The constant operands of
/// operators with weights are read from the graph. One pass over the weights.
[[nodiscard]] ValueRanges output_bounds(const Graph& graph, const Op& op,
                                        const std::vector<ValueRanges>& of_tensors);

/// The values that a constant has, per channel.
[[nodiscard]] ValueRanges constant_bounds(const Tensor& constant);

/// Whether some window of the operator's output reaches beyond the image.
[[nodiscard]] bool reaches_padding(const Window& window, const Shape& in, const Shape& out);

}  // namespace thimble
