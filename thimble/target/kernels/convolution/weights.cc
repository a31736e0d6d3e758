// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/convolution/weights.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "thimble/model/error.h"
#include "thimble/target/kernels/quantize.h"

namespace thimble {
namespace {

template <class T>
PackedConstant packed(std::string role, DType type, const std::vector<T>& values) {
  PackedConstant result{std::move(role), type, {static_cast<int64_t>(values.size())}, {}};
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  result.data = std::move(bytes);
  return result;
}

PackedConstant by_channel(PackedConstant constant) {
  constant.part_channels = 1;
  return constant;
}

std::vector<int32_t> bias_values(const Tensor* bias, size_t channels) {
  std::vector<int32_t> values(channels);
  if (bias == nullptr) return values;
  check(bias->data->size() == channels * sizeof(int32_t), "a bias has the wrong size");
  std::memcpy(values.data(), bias->data->data(), bias->data->size());
  return values;
}

std::vector<int64_t> weight_sums(const Tensor& weights, WeightOrder order) {
  const bool first = order == WeightOrder::kChannelFirst;
  const auto channels = static_cast<size_t>(first ? weights.shape.front() : weights.shape.back());
  std::vector<int64_t> sums(channels);
  const Bytes& data = *weights.data;
  const size_t run = first ? data.size() / channels : 1;  // neighbours of one channel
  const int32_t zero_point = weights.quantization.per_channel() ? 0 : zero_point_of(weights);
  for (size_t k = 0; k < data.size(); k += run) {
    const int64_t sum = sum_of_weights({reinterpret_cast<const int8_t*>(&data[k]), run},
                                       [](int8_t weight) { return int32_t{weight}; });
    sums[k / run % channels] += sum - static_cast<int64_t>(run) * zero_point;
  }
  return sums;
}

bool multiplies_in_float(const Attributes& attributes) {
  return attributes.arithmetic == Arithmetic::kTfliteUint8 ||
         std::holds_alternative<FullyConnected>(attributes);
}

// Lower and upper word of each.
std::vector<int32_t> bias_words(const Tensor* bias, size_t channels) {
  std::vector<int32_t> words(2 * channels);
  if (bias == nullptr) return words;
  const auto size = static_cast<size_t>(size_bytes(bias->type));
  check(bias->data->size() == channels * size, "a bias has the wrong size");
  for (size_t o = 0; o < channels; ++o) {
    std::memcpy(&words[2 * o], bias->data->data() + o * size, size);
    if (bias->type == DType::kInt32) words[2 * o + 1] = words[2 * o] < 0 ? -1 : 0;
  }
  return words;
}

// Weights of a depthwise convolution stand by taps, the kernel's by output channels.
PackedConstant weights_by_channel(const Operands& t) {
  const Shape& shape = t.in(1).shape;
  if (!std::holds_alternative<DepthwiseConv2D>(t.op.attributes)) return packed_weights(t, shape);
  const auto channels = static_cast<size_t>(shape.back());
  const auto taps = static_cast<size_t>(elements(shape)) / channels;
  Bytes packed(taps * channels);
  for (size_t k = 0; k < packed.size(); ++k)
    packed[k % channels * taps + k / channels] = (*t.in(1).data)[k];
  return {"weights", DType::kInt8, {shape[3], shape[1], shape[2], 1}, std::move(packed)};
}

}  // namespace

std::vector<PackedConstant> packed_scales(const std::vector<runtime::Scale>& scales) {
  std::vector<int32_t> multipliers;
  std::vector<int8_t> shifts;
  for (const runtime::Scale& scale : scales) {
    multipliers.push_back(scale.multiplier);
    shifts.push_back(static_cast<int8_t>(scale.shift));
  }
  return {by_channel(packed("multipliers", DType::kInt32, multipliers)),
          by_channel(packed("shifts", DType::kInt8, shifts))};
}

bool has_foldable_weights(const Operands& t) {
  if (t.count() < 2 || t.count() > 3) return false;
  const Tensor& weights = t.in(1);
  const std::vector<int32_t>& zeros = weights.quantization.zero_points;
  const bool int8 =
      t.in(0).type == DType::kInt8 && weights.type == DType::kInt8 && t.out().type == DType::kInt8;
  const bool unbiased = std::all_of(zeros.begin(), zeros.end(), [](int32_t z) { return z == 0; });
  const Tensor* bias = t.bias();
  const bool bias_fits = bias == nullptr || (bias->type == DType::kInt32 && bias->is_constant());
  return int8 && unbiased && bias_fits && weights.is_constant();
}

std::optional<std::vector<int32_t>> folded_bias(const Operands& t, WeightOrder order) {
  const std::vector<int64_t> sums = weight_sums(t.in(1), order);
  std::vector<int32_t> bias = bias_values(t.bias(), sums.size());
  const int64_t zero_point = zero_point_of(t.in(0));
  for (size_t o = 0; o < sums.size(); ++o) {
    const int64_t folded = bias[o] - zero_point * sums[o];
    if (folded < std::numeric_limits<int32_t>::min() ||
        folded > std::numeric_limits<int32_t>::max()) {
      return std::nullopt;
    }
    bias[o] = static_cast<int32_t>(folded);
  }
  return bias;
}

// Planners ask this of each operator again and again: sums of all weights would be too much.
bool bias_folds(const Operands& t, WeightOrder order) {
  const Tensor& weights = t.in(1);
  const bool first = order == WeightOrder::kChannelFirst;
  const int64_t channels =
      std::max<int64_t>(1, first ? weights.shape.front() : weights.shape.back());
  const int64_t largest =
      std::abs(int64_t{zero_point_of(t.in(0))}) * 128 * (elements(weights.shape) / channels);
  int64_t bias = 0;
  for (const int32_t value : bias_values(t.bias(), static_cast<size_t>(channels)))
    bias = std::max(bias, std::abs(int64_t{value}));
  return largest + bias <= std::numeric_limits<int32_t>::max() || folded_bias(t, order).has_value();
}

std::vector<runtime::Scale> channel_scales(const Operands& t, size_t channels, float result_scale) {
  const std::vector<float>& scales = t.in(1).quantization.scales;
  const float in = scale_of(t.in(0));
  const auto out = static_cast<double>(result_scale);
  const bool in_float = scales.size() == 1 && multiplies_in_float(t.op.attributes);
  std::vector<runtime::Scale> result;
  for (size_t o = 0; o < channels; ++o) {
    const float weight = scales.size() == 1 ? scales[0] : scales.at(o);
    if (t.is_onnx()) {
      result.push_back(float_scale(in * weight / result_scale));
      continue;
    }
    const double product = in_float ? static_cast<double>(in * weight)
                                    : static_cast<double>(in) * static_cast<double>(weight);
    result.push_back(quantize_scale(product / out));
  }
  return result;
}

std::vector<PackedConstant> weight_constants(const Operands& t, WeightOrder order,
                                             Shape packed_shape) {
  const std::optional<std::vector<int32_t>> bias = folded_bias(t, order);
  check(bias.has_value(), "a folded bias does not fit 32 bits");
  std::vector<PackedConstant> result =
      packed_scales(channel_scales(t, bias->size(), scale_of(t.out())));
  result.insert(result.begin(), by_channel(packed("bias", DType::kInt32, *bias)));
  PackedConstant weights = packed_weights(t, std::move(packed_shape));
  if (order == WeightOrder::kChannelFirst) weights.part_channels = 1;
  result.insert(result.begin(), std::move(weights));
  return result;
}

PackedConstant packed_weights(const Operands& t, Shape packed_shape) {
  return {"weights", DType::kInt8, std::move(packed_shape), SharedBytes(t.in(1).data)};
}

bool fit_nibbles(std::span<const int8_t> weights) {
  // By blocks, as sum_of_weights: searches ask for it again and again.
  return sum_of_weights(weights, [](int8_t w) { return int32_t{w < -8 || w > 7}; }) == 0;
}

std::vector<PackedConstant> nibble_constants(const Operands& t) {
  const auto channels = static_cast<size_t>(t.in(1).shape.front());
  const Bytes& weights = *t.in(1).data;
  const size_t inputs = weights.size() / channels, bytes = (inputs + 1) / 2;
  Bytes packed(channels * bytes);
  for (size_t o = 0; o < channels; ++o) {
    for (size_t k = 0; k < inputs; k += 2) {
      const uint8_t second = k + 1 < inputs ? weights[o * inputs + k + 1] : uint8_t{0};
      packed[o * bytes + k / 2] = nibble_pair(weights[o * inputs + k], second);
    }
  }
  const Shape shape = {static_cast<int64_t>(channels), static_cast<int64_t>(bytes)};
  std::vector<PackedConstant> result = weight_constants(t, WeightOrder::kChannelFirst, shape);
  result.front().data = std::move(packed);
  return result;
}

std::vector<PackedConstant> unfolded_constants(const Operands& t, size_t channels,
                                               float result_scale) {
  std::vector<PackedConstant> result = packed_scales(channel_scales(t, channels, result_scale));
  result.insert(result.begin(), packed("bias", DType::kInt32, bias_values(t.bias(), channels)));
  return result;
}

PackedConstant packed_words(std::string role, const std::vector<int32_t>& words) {
  return packed(std::move(role), DType::kInt32, words);
}

int32_t pair_word(int32_t low, int32_t high) {
  return static_cast<int32_t>((static_cast<uint32_t>(low) & 0xffffU) | static_cast<uint32_t>(high)
                                                                           << 16U);
}

runtime::Window2D window_of(const Window& w, const Shape& x) {
  return {.kernel_h = static_cast<int32_t>(w.kernel_h),
          .kernel_w = static_cast<int32_t>(w.kernel_w),
          .stride_h = static_cast<int32_t>(w.stride_h),
          .stride_w = static_cast<int32_t>(w.stride_w),
          .dilation_h = static_cast<int32_t>(w.dilation_h),
          .dilation_w = static_cast<int32_t>(w.dilation_w),
          .pad_top = static_cast<int32_t>(w.padding.top),
          .pad_left = static_cast<int32_t>(w.padding.left),
          .in_h = static_cast<int32_t>(x.at(1)),
          .in_w = static_cast<int32_t>(x.at(2))};
}

std::vector<PackedConstant> pack_unfolded_conv_2d(const Operands& t) {
  const auto channels = static_cast<size_t>(t.out().shape.back());
  std::vector<PackedConstant> result =
      packed_scales(channel_scales(t, channels, scale_of(t.out())));
  result.insert(result.begin(), packed_words("bias", bias_words(t.bias(), channels)));
  result.insert(result.begin(), weights_by_channel(t));
  return result;
}

}  // namespace thimble
