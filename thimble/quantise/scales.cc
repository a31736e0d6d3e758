// SPDX-License-Identifier: Apache-2.0
#include "thimble/quantise/scales.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "thimble/model/error.h"
#include "thimble/reference/real_values.h"

namespace thimble {
namespace {

template <class T>
std::shared_ptr<const Bytes> bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return std::make_shared<const Bytes>(std::move(bytes));
}

/// Elements of a tensor by their index along an axis.
class Channels {
 public:
  Channels(const Shape& shape, std::optional<int> axis) {
    if (!axis) return;
    count_ = shape[static_cast<size_t>(*axis)];
    for (size_t k = static_cast<size_t>(*axis) + 1; k < shape.size(); ++k) inner_ *= shape[k];
  }
  [[nodiscard]] size_t count() const { return static_cast<size_t>(count_); }
  [[nodiscard]] size_t of(size_t element) const {
    return element / static_cast<size_t>(inner_) % count();
  }

 private:
  int64_t count_ = 1, inner_ = 1;
};

/// A bias takes half of the sums' 2^31 steps at most.
float scale_for_bias(float scale, float bias, float x_scale) {
  constexpr float kHalf = 1073741824.0F;
  return std::abs(bias) >= kHalf * scale * x_scale ? std::abs(bias) / (kHalf * x_scale) : scale;
}

}  // namespace

Quantization one_scale(float scale, int32_t zero_point) { return {{scale}, {zero_point}, 0}; }

Quantization int8_scale(const Range& range) {
  const double min = std::min(range.min, 0.0F), max = std::max(range.max, 0.0F);
  if (range.empty() || min == max) return one_scale(1, 0);
  const double scale = (max - min) / 255;
  const auto zero_point = static_cast<int32_t>(std::round(-128 - min / scale));
  return one_scale(static_cast<float>(scale), std::clamp(zero_point, -128, 127));
}

int8_t nearest_int8(float value, const Quantization& scale) {
  const float steps =
      std::round(value / scale.scales[0]) + static_cast<float>(scale.zero_points[0]);
  return static_cast<int8_t>(std::clamp(steps, -128.0F, 127.0F));
}

Tensor quantised_constant(const Tensor& constant, const Quantization& scale) {
  std::vector<int8_t> integers;
  for (const float value : dequantised(constant, *constant.data))
    integers.push_back(nearest_int8(value, scale));
  return {constant.name, constant.shape, DType::kInt8, scale, bytes_of(integers)};
}

QuantisedWeights quantised_weights(const Tensor& weights, const Tensor* bias,
                                   std::optional<int> axis, float x_scale) {
  const RealValues values = dequantised(weights, *weights.data);
  const Channels channels(weights.shape, axis);
  std::vector<float> scales(channels.count());
  for (size_t i = 0; i < values.size(); ++i)
    scales[channels.of(i)] = std::max(scales[channels.of(i)], std::abs(values[i]));
  for (float& scale : scales) scale = scale == 0 ? 1 : scale / 127;

  const RealValues biases = bias == nullptr ? RealValues{} : dequantised(*bias, *bias->data);
  for (size_t k = 0; k < biases.size(); ++k) {
    float& scale = scales[axis ? k : 0];
    scale = scale_for_bias(scale, biases[k], x_scale);
  }

  std::vector<int8_t> integers(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const float steps = std::round(values[i] / scales[channels.of(i)]);
    integers[i] = static_cast<int8_t>(std::clamp(steps, -127.0F, 127.0F));
  }
  QuantisedWeights result;
  result.weights = {weights.name,
                    weights.shape,
                    DType::kInt8,
                    {scales, std::vector<int32_t>(scales.size()), axis.value_or(0)},
                    bytes_of(integers)};
  if (bias == nullptr) return result;

  std::vector<float> bias_scales;
  for (const float scale : scales) bias_scales.push_back(x_scale * scale);
  std::vector<int32_t> sums(biases.size());
  for (size_t k = 0; k < biases.size(); ++k) {
    const double steps = std::round(double{biases[k]} / bias_scales[axis ? k : 0]);
    sums[k] = static_cast<int32_t>(std::clamp(steps, -2147483647.0, 2147483647.0));
  }
  result.bias = {bias->name,
                 bias->shape,
                 DType::kInt32,
                 {bias_scales, std::vector<int32_t>(bias_scales.size()), 0},
                 bytes_of(sums)};
  return result;
}

}  // namespace thimble
