// SPDX-License-Identifier: Apache-2.0
#include "thimble/quantise/scales.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "thimble/model/error.h"

namespace thimble {
namespace {

template <class T>
std::shared_ptr<const Bytes> bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return std::make_shared<const Bytes>(std::move(bytes));
}

/// A bias takes half of the sums' 2^31 steps at most.
float scale_for_bias(float scale, float bias, float x_scale) {
  constexpr float kHalf = 1073741824.0F;
  return std::abs(bias) >= kHalf * scale * x_scale ? std::abs(bias) / (kHalf * x_scale) : scale;
}

/// A weight in steps of its scale.
float steps_of(float weight, float scale, int32_t largest) {
  const auto most = static_cast<float>(largest);
  return std::clamp(std::round(weight / scale), -most, most);
}

/// By channel: that of the largest magnitude, or less where clipping costs less than coarse steps.
std::vector<float> least_error_scales(const RealValues& values, const AxisIndices& channels,
                                      std::vector<float> scales, int32_t largest) {
  constexpr int kTried = 24;  // from 1 down to 0.4 in steps of 1/40
  std::vector<float> best = scales;
  std::vector<double> least(scales.size(), HUGE_VAL);
  for (int k = 0; k <= kTried; ++k) {
    const float factor = 1 - static_cast<float>(k) / 40;
    std::vector<double> errors(scales.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const float scale = factor * scales[channels.of(i)];
      const double error = double{steps_of(values[i], scale, largest)} * scale - values[i];
      errors[channels.of(i)] += error * error;
    }
    for (size_t c = 0; c < scales.size(); ++c) {
      if (errors[c] >= least[c]) continue;
      least[c] = errors[c];
      best[c] = factor * scales[c];
    }
  }
  return best;
}

std::vector<float> weight_scales(const RealValues& values, const AxisIndices& channels,
                                 int32_t largest) {
  std::vector<float> scales(channels.count());
  for (size_t i = 0; i < values.size(); ++i)
    scales[channels.of(i)] = std::max(scales[channels.of(i)], std::abs(values[i]));
  for (float& scale : scales) scale = scale == 0 ? 1 : scale / static_cast<float>(largest);
  return largest == 127 ? scales : least_error_scales(values, channels, scales, largest);
}

template <class Sum>
std::shared_ptr<const Bytes> bias_bytes(const RealValues& biases, const std::vector<float>& scales,
                                        double most) {
  std::vector<Sum> sums(biases.size());
  for (size_t k = 0; k < biases.size(); ++k) {
    const double steps = std::round(double{biases[k]} / scales[scales.size() > 1 ? k : 0]);
    sums[k] = static_cast<Sum>(std::clamp(steps, -most, most));
  }
  return bytes_of(sums);
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

Quantization int16_scale(const Range& range) {
  const float most = std::max(std::abs(range.min), std::abs(range.max));
  if (range.empty() || most == 0) return one_scale(1, 0);
  return one_scale(most / 32767, 0);
}

int32_t nearest_integer(float value, DType type, const Quantization& scale) {
  const float steps =
      std::round(value / scale.scales[0]) + static_cast<float>(scale.zero_points[0]);
  switch (type) {
    case DType::kInt8:
      return static_cast<int32_t>(std::clamp(steps, -128.0F, 127.0F));
    case DType::kUInt8:
      return static_cast<int32_t>(std::clamp(steps, 0.0F, 255.0F));
    case DType::kInt16:
      return static_cast<int32_t>(std::clamp(steps, -32768.0F, 32767.0F));
    default:
      throw InternalError("nearest_integer: no type of activations");
  }
}

Bytes as_integers(const RealValues& values, DType type, const Quantization& scale) {
  Bytes bytes;
  bytes.reserve(values.size() * static_cast<size_t>(size_bytes(type)));
  for (const float value : values) {
    const int32_t integer = nearest_integer(value, type, scale);
    bytes.push_back(static_cast<uint8_t>(integer & 0xFF));
    if (type == DType::kInt16) bytes.push_back(static_cast<uint8_t>((integer >> 8) & 0xFF));
  }
  return bytes;
}

Tensor quantised_constant(const Tensor& constant, DType type, const Quantization& scale) {
  Bytes integers = as_integers(dequantised(constant, *constant.data), type, scale);
  return {constant.name, constant.shape, type, scale,
          std::make_shared<const Bytes>(std::move(integers))};
}

AxisIndices::AxisIndices(const Shape& shape, std::optional<int> axis) {
  if (!axis) return;
  count_ = shape[static_cast<size_t>(*axis)];
  for (size_t k = static_cast<size_t>(*axis) + 1; k < shape.size(); ++k) inner_ *= shape[k];
}

QuantisedWeights quantised_weights(const Tensor& weights, const Tensor* bias,
                                   const WeightScheme& scheme, float x_scale) {
  const RealValues values = dequantised(weights, *weights.data);
  const AxisIndices channels(weights.shape, scheme.axis);
  std::vector<float> scales = weight_scales(values, channels, scheme.largest);
  const RealValues biases = bias == nullptr ? RealValues{} : dequantised(*bias, *bias->data);
  for (size_t k = 0; k < biases.size() && !scheme.wide_sums; ++k) {
    float& scale = scales[scheme.axis ? k : 0];
    scale = scale_for_bias(scale, biases[k], x_scale);
  }

  std::vector<int8_t> integers(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    integers[i] = static_cast<int8_t>(steps_of(values[i], scales[channels.of(i)], scheme.largest));
  QuantisedWeights result;
  result.weights = {weights.name,
                    weights.shape,
                    DType::kInt8,
                    {scales, std::vector<int32_t>(scales.size()), scheme.axis.value_or(0)},
                    bytes_of(integers)};
  if (bias == nullptr) return result;

  const DType sums = scheme.wide_sums ? DType::kInt64 : DType::kInt32;
  result.bias =
      quantised_bias(biases, {bias->name, bias->shape, sums, {}, nullptr}, scales, x_scale);
  return result;
}

Tensor quantised_bias(const RealValues& biases, Tensor like, const std::vector<float>& scales,
                      float x_scale) {
  like.quantization = {{}, std::vector<int32_t>(scales.size()), 0};
  for (const float scale : scales) like.quantization.scales.push_back(x_scale * scale);
  like.data = like.type == DType::kInt64
                  ? bias_bytes<int64_t>(biases, like.quantization.scales, 0x1p46)
                  : bias_bytes<int32_t>(biases, like.quantization.scales, 2147483647.0);
  return like;
}

}  // namespace thimble
