// SPDX-License-Identifier: Apache-2.0
// Numbers of float32 as integers with a scale, as TensorFlow Lite's converter chooses them.
#pragma once

#include <optional>

#include "thimble/model/graph.h"
#include "thimble/quantise/range.h"
#include "thimble/reference/real_values.h"

namespace thimble {

/// A scale and a zero point for int8: 256 steps from min to max, or from or to 0 where that lies
/// beyond. Of a range that is 0 alone, or empty: scale 1, zero point 0.
[[nodiscard]] Quantization int8_scale(const Range& range);
/// For int16: the largest magnitude is 32767, the zero point 0.
[[nodiscard]] Quantization int16_scale(const Range& range);
/// One scale for all.
[[nodiscard]] Quantization one_scale(float scale, int32_t zero_point);

/// How weights are held.
struct WeightScheme {
  std::optional<int> axis;  ///< whose indices have a scale each; nothing: one for all
  int32_t largest = 127;    ///< magnitude of an integer
  bool wide_sums = false;   ///< the bias is int64, not int32
};

/// Weights with zero point 0, and the bias of what is summed with them.
struct QuantisedWeights {
  Tensor weights;              ///< int8
  std::optional<Tensor> bias;  ///< scale: of x times of the weights
};

/// weights, bias: constants of float32, or weights with scales already, whose values are taken.
/// x_scale: of what they are multiplied by. Scales are by the largest magnitude; of fewer than 8
/// bits, by the least squared error of those that are up to 60 % smaller. A channel whose bias of
/// int32 would leave half of that type has a larger scale, as the converter gives it.
[[nodiscard]] QuantisedWeights quantised_weights(const Tensor& weights, const Tensor* bias,
                                                 const WeightScheme& scheme, float x_scale);
/// A bias in the name, shape and type (int32, int64) of another, in steps of x_scale times
/// `scales`.
[[nodiscard]] Tensor quantised_bias(const RealValues& biases, Tensor like,
                                    const std::vector<float>& scales, float x_scale);
/// A constant of float32 as an activation of int8 or int16 would be.
[[nodiscard]] Tensor quantised_constant(const Tensor& constant, DType type,
                                        const Quantization& scale);
/// The integer of a type (int8, uint8, int16) that is nearest to a number.
[[nodiscard]] int32_t nearest_integer(float value, DType type, const Quantization& scale);
/// Numbers as integers of such a type.
[[nodiscard]] Bytes as_integers(const RealValues& values, DType type, const Quantization& scale);

/// Elements of a tensor by their index along an axis; without one they are all of index 0.
class AxisIndices {
 public:
  AxisIndices(const Shape& shape, std::optional<int> axis);
  [[nodiscard]] size_t count() const { return static_cast<size_t>(count_); }
  [[nodiscard]] size_t of(size_t element) const {
    return element / static_cast<size_t>(inner_) % count();
  }

 private:
  int64_t count_ = 1, inner_ = 1;
};

}  // namespace thimble
