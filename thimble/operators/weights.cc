// SPDX-License-Identifier: Apache-2.0
// What operators with weights and an optional bias share.
#include "thimble/operators/weights.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "thimble/model/rounding.h"
#include "thimble/operators/op_view.h"

namespace thimble {
namespace {

/// Leaves room for the output's zero point.
constexpr double kLargestSum = 0x1p31 - 512;

int64_t bias_of(const OpView& v, size_t channel) {
  if (!v.has_bias()) return 0;
  if (v.in(2).type == DType::kInt64) {
    int64_t wide = 0;
    std::memcpy(&wide, v.in(2).data->data() + channel * sizeof wide, sizeof wide);
    return wide;
  }
  int32_t bias = 0;
  std::memcpy(&bias, v.in(2).data->data() + channel * sizeof bias, sizeof bias);
  return bias;
}

double real_multiplier(const OpView& v, size_t channel) {
  const std::vector<float>& scales = v.in(1).quantization.scales;
  const double product =
      static_cast<double>(v.in(0).quantization.scales[0]) * scales[scales.size() > 1 ? channel : 0];
  return product / v.out().quantization.scales[0];
}

/// The power of two by which a multiplier above 1 shifts the sum before it multiplies.
double left_shift(const OpView& v, size_t channel) {
  int exponent = 0;
  std::frexp(real_multiplier(v, channel), &exponent);
  return std::ldexp(1.0, std::max(exponent, 0));
}

/// Per output channel the sum of |weight - zero point|; the most it can be for variable weights.
std::vector<int64_t> weight_magnitudes(const OpView& v, size_t channel_axis) {
  const Shape& shape = v.weights();
  const int64_t channels = shape[channel_axis];
  if (!v.in(1).is_constant()) {
    return std::vector<int64_t>(static_cast<size_t>(channels), 255 * (elements(shape) / channels));
  }
  int64_t inner = 1;
  for (size_t i = channel_axis + 1; i < shape.size(); ++i) inner *= shape[i];
  const int32_t zero_point = v.in(1).quantization.zero_points[0];
  std::vector<int64_t> sums(static_cast<size_t>(channels));
  const Bytes& bytes = *v.in(1).data;
  for (size_t i = 0; i < bytes.size();) {
    for (int64_t& sum : sums) {
      for (int64_t k = 0; k < inner; ++k)
        sum += std::abs(static_cast<int8_t>(bytes[i++]) - zero_point);
    }
  }
  return sums;
}

}  // namespace

bool has_weights(const Graph&, const Op& op) {
  return op.inputs.size() == 2 || op.inputs.size() == 3;
}

bool image_ranks(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return v.x().size() == 4 && v.weights().size() == 4 && v.out().shape.size() == 4 &&
         (!v.has_bias() || v.in(2).shape.size() == 1);
}

bool weighted_types(const Graph& graph, const Op& op) {
  if (is_float32(graph, op)) return true;
  const OpView v{graph, op};
  const DType type = v.in(0).type;
  const bool wide = type == DType::kInt16;
  const DType bias = v.has_bias() ? v.in(2).type : DType::kInt32;
  return (wide || type == DType::kInt8) && v.out().type == type && v.in(1).type == DType::kInt8 &&
         (bias == DType::kInt32 || (wide && bias == DType::kInt64));
}

bool bias_is_constant(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return !v.has_bias() || v.in(2).is_constant();
}

bool weights_and_bias_are_constant(const Graph& graph, const Op& op) {
  return OpView{graph, op}.in(1).is_constant() && bias_is_constant(graph, op);
}

bool x_and_output_have_one_scale(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const auto fits = [](const Tensor& t) {
    return has_one_scale(t) && (t.type != DType::kInt16 || t.quantization.zero_points[0] == 0);
  };
  return fits(v.in(0)) && fits(v.out());
}

bool weights_are_symmetric(const Graph& graph, const Op& op, size_t channel_axis) {
  const OpView v{graph, op};
  const Quantization& q = v.in(1).quantization;
  const bool per_tensor = q.scales.size() == 1;
  const bool per_channel = static_cast<int64_t>(q.scales.size()) == v.weights()[channel_axis] &&
                           q.axis == static_cast<int>(channel_axis);
  return (per_tensor || per_channel) && q.zero_points.size() == q.scales.size() &&
         std::all_of(q.scales.begin(), q.scales.end(), is_positive_scale) &&
         std::all_of(q.zero_points.begin(), q.zero_points.end(), [](int32_t z) { return z == 0; });
}

bool weights_are_quantised(const Graph& graph, const Op& op, size_t channel_axis) {
  const OpView v{graph, op};
  return (v.in(0).type == DType::kInt8 && has_one_scale(v.in(1))) ||
         weights_are_symmetric(graph, op, channel_axis);
}

bool multipliers_are_moderate(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  for (size_t i = 0; i < v.in(1).quantization.scales.size(); ++i) {
    if (real_multiplier(v, i) >= 0x1p30) return false;
  }
  return true;
}

bool bias_has_size(const Graph& graph, const Op& op, size_t channel_axis) {
  const OpView v{graph, op};
  return !v.has_bias() || elements(v.in(2).shape) == v.weights()[channel_axis];
}

bool wide_sum_fits(const OpView& v, double most, size_t o) {
  const double real = real_multiplier(v, o);
  if (!rounds_once(v.graph, v.op)) return most * left_shift(v, o) <= kLargestSum;
  return most < 0x1p47 && real < 0x1p7 && most * real < 0x1p30;
}

// |x - zero point| and, where the zero point is folded into the bias, |x| + |zero point| are at
// most 256; so the bound holds for every order of summation.
bool sums_fit(const Graph& graph, const Op& op, size_t channel_axis) {
  const OpView v{graph, op};
  const std::vector<int64_t> magnitude = weight_magnitudes(v, channel_axis);
  for (size_t o = 0; o < magnitude.size(); ++o) {
    const bool wide = v.in(0).type == DType::kInt16;
    const double most = (wide ? 32768.0 : 256.0) * static_cast<double>(magnitude[o]) +
                        std::abs(static_cast<double>(bias_of(v, o)));
    if (wide ? !wide_sum_fits(v, most, o) : most * left_shift(v, o) > kLargestSum) return false;
  }
  return true;
}

}  // namespace thimble
