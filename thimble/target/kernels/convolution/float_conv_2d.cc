// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/convolution/float_conv_2d.h"

#include <cstring>

#include "thimble/model/dequantised.h"
#include "thimble/target/kernels/floats.h"
#include "thimble/target/kernels/rows.h"

namespace thimble {
namespace {

// Weights of a depthwise convolution stand by taps, the kernel's by output channels.
PackedConstant float_weights(const Operands& t, const Tensor& weights) {
  const Shape& shape = weights.shape;
  if (!std::holds_alternative<DepthwiseConv2D>(t.op.attributes))
    return {"weights", weights.type, shape, SharedBytes(weights.data)};
  const auto size = static_cast<size_t>(size_bytes(weights.type));
  const auto channels = static_cast<size_t>(shape.back());
  const size_t taps = weights.data->size() / size / channels;
  Bytes packed(weights.data->size());
  for (size_t k = 0; k < taps * channels; ++k) {
    const size_t to = k % channels * taps + k / channels;
    std::memcpy(&packed[to * size], &(*weights.data)[k * size], size);
  }
  return {"weights", weights.type, {shape[3], shape[1], shape[2], 1}, std::move(packed)};
}

// The call with its weights dequantised.
KernelUse hybrid_use(const Tensor& weights, const runtime::FloatConv2DParams& p, KernelUse use) {
  const Quantization& q = weights.quantization;
  use.kernel = float_kernel(Family::kConv2DHybrid);
  use.params = runtime::HybridConv2DParams{.weights = nullptr,
                                           .bias = nullptr,
                                           .scales = nullptr,
                                           .window = p.window,
                                           .in_per_group = p.in_per_group,
                                           .out_per_group = p.out_per_group,
                                           .scale_step = q.scales.size() == 1 ? 0 : 1,
                                           .zero_point = q.zero_points.at(0),
                                           .clamp_min = p.clamp_min,
                                           .clamp_max = p.clamp_max};
  return use;
}

}  // namespace

bool has_float_weights(const Operands& t) {
  return is_float32(t) && (t.count() == 2 || t.count() == 3) && t.in(1).is_constant() &&
         (t.bias() == nullptr || t.bias()->is_constant());
}

KernelUse float_convolution_use(const Operands& t, Family family, const ConvolutionAxes& axes,
                                runtime::FloatConv2DParams params, Activation activation) {
  const runtime::FloatClampParams clamp = float_clamp(activation);
  params.clamp_min = clamp.clamp_min;
  params.clamp_max = clamp.clamp_max;
  KernelUse use{.kernel = float_kernel(family),
                .params = params,
                .inputs = {0},
                .in = {axes.in},
                .out = axes.out,
                .limits = limits_of(axes.out, t.out().shape)};
  const Tensor& weights = t.in(1);
  return weights.type == DType::kFloat32 ? use : hybrid_use(weights, params, std::move(use));
}

namespace {

std::vector<PackedConstant> packed_float_conv_2d(const Operands& t, const Tensor& weights) {
  const bool is_depthwise = std::holds_alternative<DepthwiseConv2D>(t.op.attributes);
  const int64_t channels = is_depthwise ? weights.shape.back() : weights.shape.front();
  Bytes bias(static_cast<size_t>(channels) * sizeof(float));
  if (t.bias() != nullptr) bias = *t.bias()->data;
  return {float_weights(t, weights), {"bias", DType::kFloat32, {channels}, std::move(bias)}};
}

KernelParams expanded_float_conv_2d(const Operands&, const KernelParams& params) {
  const auto* p = std::get_if<runtime::HybridConv2DParams>(&params);
  if (p == nullptr) return params;
  return runtime::FloatConv2DParams{.weights = nullptr,
                                    .bias = nullptr,
                                    .window = p->window,
                                    .in_per_group = p->in_per_group,
                                    .out_per_group = p->out_per_group,
                                    .clamp_min = p->clamp_min,
                                    .clamp_max = p->clamp_max};
}

std::vector<PackedConstant> pack_float_conv_2d(const Operands& t) {
  const Tensor& weights = t.in(1);
  return packed_float_conv_2d(t, weights.type == DType::kFloat32 ? weights : dequantised(weights));
}

std::vector<PackedConstant> pack_hybrid_conv_2d(const Operands& t) {
  std::vector<PackedConstant> result = packed_float_conv_2d(t, t.in(1));
  result.push_back(packed_floats("scales", t.in(1).quantization.scales));
  return result;
}

}  // namespace

std::span<const KernelInfo> float_conv_2d_rows() {
  using enum DType;
  using enum Family;
  using enum Progress;
  static constexpr KernelInfo kRows[] = {
      row<runtime::conv_2d_f32>({.name = "conv_2d_f32",
                                 .family = kConv2D,
                                 .also = kConv2DHybrid,
                                 .in = kFloat32,
                                 .out = kFloat32,
                                 .progress = kPixel,
                                 .weights = Weights::kWide,
                                 .pack = pack_float_conv_2d,
                                 .adapt = expanded_float_conv_2d}),
      float_row<runtime::conv_2d_hybrid_f32>("conv_2d_hybrid_f32", kConv2DHybrid, kPixel,
                                             pack_hybrid_conv_2d),
      float_row<runtime::transpose_conv_f32>("transpose_conv_f32", kTransposeConv, kPixel,
                                             pack_float_conv_2d),
  };
  return kRows;
}

}  // namespace thimble
