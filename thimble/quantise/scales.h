// SPDX-License-Identifier: Apache-2.0
// Numbers of float32 as integers with a scale, as TensorFlow Lite's converter chooses them.
#pragma once

#include <optional>

#include "thimble/model/graph.h"
#include "thimble/quantise/range.h"

namespace thimble {

/// A scale and a zero point for int8: 256 steps from min to max, or from or to 0 where that lies
/// beyond. Of a range that is 0 alone, or empty: scale 1, zero point 0.
[[nodiscard]] Quantization int8_scale(const Range& range);
/// One scale for all.
[[nodiscard]] Quantization one_scale(float scale, int32_t zero_point);

/// Weights from -127 to 127 with zero point 0, and the bias of what is summed with them.
struct QuantisedWeights {
  Tensor weights;
  std::optional<Tensor> bias;  ///< int32, scale: of x times of the weights
};

/// weights, bias: constants of float32, or weights with scales already, whose values are taken.
/// axis: of the weights, whose indices are the channels that have a scale each; nothing: one for
/// all. x_scale: of what they are multiplied by. A channel whose bias would leave half of int32 has
/// a larger scale, as the converter gives it.
[[nodiscard]] QuantisedWeights quantised_weights(const Tensor& weights, const Tensor* bias,
                                                 std::optional<int> axis, float x_scale);
/// A constant of float32 as an activation would be.
[[nodiscard]] Tensor quantised_constant(const Tensor& constant, const Quantization& scale);
/// The integer of int8 that is nearest to a number.
[[nodiscard]] int8_t nearest_int8(float value, const Quantization& scale);

}  // namespace thimble
