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

constexpr double kLeastInt32 = -0x1p31, kMostInt32 = 0x1p31 - 1;
/// Leaves room for the output's zero point.
constexpr double kLargestResult = 0x1p31 - 512;

/// What a sum can come to, whatever the input. Whole numbers; doubles do not overflow.
struct SumInterval {
  double low = 0, high = 0;

  [[nodiscard]] double magnitude() const { return std::max(-low, high); }
  [[nodiscard]] SumInterval plus(double value) const { return {low + value, high + value}; }
  [[nodiscard]] bool fits_int32(double factor) const {
    return low * factor >= kLeastInt32 && high * factor <= kMostInt32;
  }
};

/// What a value less the zero point of its tensor can be.
struct Centred {
  int64_t low, high;
};
Centred centred(const Tensor& t) {
  const std::vector<int32_t>& zeros = t.quantization.zero_points;
  const int64_t zero = zeros.empty() ? 0 : zeros[0];
  const int64_t half = t.type == DType::kInt16 ? 32768 : 128;
  return {-half - zero, half - 1 - zero};
}

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

/// Products with weights that are known when they are computed alone.
SumInterval any_products(const Centred& x, const Centred& weights, int64_t count) {
  const auto [low, high] = std::minmax(
      {x.low * weights.low, x.low * weights.high, x.high * weights.low, x.high * weights.high});
  return {static_cast<double>(low) * static_cast<double>(count),
          static_cast<double>(high) * static_cast<double>(count)};
}

/// Per output channel the sum of (x - zero point) * (weight - zero point). Zero is a value of both:
/// what a part of the products comes to, in any order, lies in between.
std::vector<SumInterval> product_sums(const OpView& v, size_t channel_axis) {
  const Shape& shape = v.weights();
  const auto channels = static_cast<size_t>(shape[channel_axis]);
  const Centred x = centred(v.in(0));
  const auto count = elements(shape) / shape[channel_axis];
  if (!v.in(1).is_constant()) return {channels, any_products(x, centred(v.in(1)), count)};
  int64_t inner = 1;
  for (size_t i = channel_axis + 1; i < shape.size(); ++i) inner *= shape[i];
  const int64_t zero_point = v.in(1).quantization.zero_points[0];
  std::vector<int64_t> positive(channels), negative(channels);
  const Bytes& bytes = *v.in(1).data;
  for (size_t i = 0; i < bytes.size();) {
    for (size_t o = 0; o < channels; ++o) {
      for (int64_t k = 0; k < inner; ++k) {
        const int64_t weight = static_cast<int8_t>(bytes[i++]) - zero_point;
        (weight > 0 ? positive : negative)[o] += weight;
      }
    }
  }
  std::vector<SumInterval> sums;
  for (size_t o = 0; o < channels; ++o) {
    sums.push_back({static_cast<double>(positive[o] * x.low + negative[o] * x.high),
                    static_cast<double>(positive[o] * x.high + negative[o] * x.low)});
  }
  return sums;
}

/// The original adds up the products, then the bias; kernels begin with the bias of an input of raw
/// zeros, which is one of the values that the sum can have.
bool sum_fits(const OpView& v, const SumInterval& products, size_t o) {
  const SumInterval sum = products.plus(static_cast<double>(bias_of(v, o)));
  const double real = real_multiplier(v, o);
  if (rounds_once(v.graph, v.op)) {
    return sum.magnitude() < 0x1p47 && real < 0x1p7 && sum.magnitude() * real < 0x1p30;
  }
  return products.fits_int32(1) && sum.fits_int32(left_shift(v, o)) &&
         sum.magnitude() * real <= kLargestResult;
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

bool sums_fit(const Graph& graph, const Op& op, size_t channel_axis) {
  const OpView v{graph, op};
  const std::vector<SumInterval> products = product_sums(v, channel_axis);
  for (size_t o = 0; o < products.size(); ++o) {
    if (!sum_fits(v, products[o], o)) return false;
  }
  return true;
}

std::vector<size_t> silent_overflows(const Graph& graph, const Op& op) {
  constexpr double kSilent = 0x1p-33;  // a multiplier below 2^-32 is 0
  const OpView v{graph, op};
  const size_t axis = std::holds_alternative<DepthwiseConv2D>(op.attributes) ? 3 : 0;
  if (!v.has_bias() || v.in(2).type != DType::kInt32 || !v.in(2).is_constant()) return {};
  const std::vector<SumInterval> products = product_sums(v, axis);
  std::vector<size_t> channels;
  for (size_t o = 0; o < products.size(); ++o) {
    if (real_multiplier(v, o) < kSilent && !sum_fits(v, products[o], o)) channels.push_back(o);
  }
  return channels;
}

}  // namespace thimble
