// SPDX-License-Identifier: Apache-2.0
// Weights and parameters of kernels of float32 that add up products. Private to what reads
// parameters back.
#pragma once

#include <bit>
#include <type_traits>

#include "thimble/program/float_constants.h"

namespace thimble {

/// What weights of int8 stand for, as float32: constant 0. The channel of element k is channel(k).
template <class Place, class Channel>
void compare_expanded_weights(const ReadBack& r, const Place& place, const Channel& channel,
                              Difference& d) {
  const Tensor& weights = r.in(1);
  const Quantization& q = weights.quantization;
  const auto count = static_cast<size_t>(elements(weights.shape));
  const auto packed = unpacked<uint32_t>(r, 0, DType::kFloat32, count);
  if (packed.size() != count) {
    d.fail("one of its constants has another type or size");
    return;
  }
  for (size_t k = 0; k < count; ++k) {
    const size_t c = q.scales.size() == 1 ? 0 : channel(k);
    const int32_t steps = static_cast<int8_t>((*weights.data)[k]) - q.zero_points.at(c);
    const float wanted = q.scales.at(c) * static_cast<float>(steps);
    if (packed[place(k)] == std::bit_cast<uint32_t>(wanted)) continue;
    d.fail(fmt::format("element {} of its weights is wrong", k));
    return;
  }
}

/// What weights of int8 stand for: scales in constant 2.
inline void compare_hybrid(const ReadBack& r, const runtime::HybridConv2DParams& p, Difference& d) {
  const Quantization& q = r.in(1).quantization;
  d.expect("scale_step", p.scale_step, q.scales.size() == 1 ? 0 : 1);
  for (const int32_t zero : q.zero_points) d.expect("zero_point", p.zero_point, zero);
  const auto scales = unpacked<float>(r, 2, DType::kFloat32, q.scales.size());
  if (scales.size() != q.scales.size()) d.fail("its scales have another type or number");
  for (size_t k = 0; k < scales.size(); ++k) d.expect_float("scales", scales[k], q.scales[k]);
}

inline void compare_float_bias(const ReadBack& r, int64_t channels, Difference& d) {
  if (r.op.inputs.size() > 2) {
    compare_floats(
        r, 1, r.in(2), [](size_t k) { return k; }, d);
    return;
  }
  const auto count = static_cast<size_t>(channels);
  const auto packed = unpacked<uint32_t>(r, 1, DType::kFloat32, count);
  if (packed != std::vector<uint32_t>(count, 0)) d.fail("its packed bias is not zeros");
}

/// None if it has no such attribute.
template <class Op>
Activation activation_of(const Op& a) {
  if constexpr (requires { a.activation; }) {
    return a.activation;
  } else {
    return Activation::kNone;
  }
}

template <class Op, class Params>
std::string float_convolution_fault(const Op& a, const Params& p, const ReadBack& r,
                                    Difference& d) {
  constexpr bool kDepthwise = std::is_same_v<Op, DepthwiseConv2D>;
  const Shape& weights = r.in(1).shape;
  const int64_t channels = kDepthwise ? weights.back() : weights.front();
  const int64_t depth = kDepthwise ? 1 : weights.back();
  int64_t groups = 1;
  if constexpr (requires { a.window; }) {
    compare_window(a.window, r.in(0), p.window, d);
    groups = r.in(0).shape.back() / depth;
  } else {
    compare_no_window(r, p.window, d);
  }
  d.expect("in_per_group", p.in_per_group, depth);
  d.expect("out_per_group", p.out_per_group, channels / groups);
  compare_float_clamp(p, activation_of(a), d);
  const auto taps = static_cast<size_t>(elements(weights) / channels);
  const auto place = [&](size_t k) {
    return kDepthwise ? k % static_cast<size_t>(channels) * taps + k / static_cast<size_t>(channels)
                      : k;
  };
  const auto channel = [&](size_t k) {
    return kDepthwise ? k % static_cast<size_t>(channels) : k / taps;
  };
  if (std::is_same_v<Params, runtime::FloatConv2DParams> && r.in(1).type != DType::kFloat32) {
    compare_expanded_weights(r, place, channel, d);
  } else {
    compare_real_weights(r, 0, r.in(1), place, d);
  }
  compare_float_bias(r, channels, d);
  return d.text();
}

template <class Op>
std::string float_weights_fault(const Op& a, const ReadBack& r) {
  Difference d;
  if (const auto* p = r.as<runtime::FloatConv2DParams>())
    return float_convolution_fault(a, *p, r, d);
  const auto* p = r.as<runtime::HybridConv2DParams>();
  if (p == nullptr || r.in(1).type == DType::kFloat32) return kOtherKernel;
  compare_hybrid(r, *p, d);
  return float_convolution_fault(a, *p, r, d);
}

}  // namespace thimble
