// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/convolution/conv_2d.h"

#include "thimble/model/error.h"
#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/convolution/conv_2d_fours.h"
#include "thimble/target/kernels/convolution/float_conv_2d.h"
#include "thimble/target/kernels/convolution/shape.h"
#include "thimble/target/kernels/convolution/unfolded_conv_2d.h"
#include "thimble/target/kernels/convolution/weights.h"
#include "thimble/target/kernels/floats.h"
#include "thimble/target/kernels/quantize.h"
#include "thimble/target/kernels/rows.h"

namespace thimble {
namespace {

KernelId convolution_kernel(Method method) {
  switch (method) {
    case Method::kCompute:
      return portable_kernel(Family::kConv2D);
    case Method::kAccumulate:
      return portable_kernel(Family::kConv2DAccumulate, DType::kInt8, DType::kInt32);
    case Method::kFinalise:
      return portable_kernel(Family::kConv2DFinalise, DType::kInt32, DType::kInt8);
    case Method::kInPlace:
      break;
  }
  throw InternalError("a convolution has no kernel that executes in place");
}

// Sums in an accumulator of Graph::accumulators: added chunk by chunk, then rescaled.
KernelUse narrow_use(const Operands& t, Method method, const ConvolutionAxes& axes,
                     const runtime::Conv2DParams& params, const Accumulator& accumulator,
                     const ClampRange& clamp) {
  KernelUse use{.inputs = {0}, .out = axes.out, .limits = limits_of(axes.out, t.out().shape)};
  if (method == Method::kFinalise) {
    use.kernel = portable_kernel(Family::kRescale, accumulator.type, DType::kInt8);
    use.params =
        runtime::RescaleParams{.scale = quantize_scale(static_cast<double>(accumulator.scale) /
                                                       static_cast<double>(scale_of(t.out()))),
                               .input_zero_point = accumulator.zero_point,
                               .output_zero_point = zero_point_of(t.out()),
                               .clamp_min = clamp.min,
                               .clamp_max = clamp.max};
    use.in = {axes.out};
    return use;
  }
  check(method == Method::kAccumulate, "an operator with an accumulator is computed otherwise");
  use.kernel = portable_kernel(Family::kConv2DAccumulate, DType::kInt8, accumulator.type);
  use.params = runtime::Conv2DNarrowParams{.weights = nullptr,
                                           .bias = nullptr,
                                           .scales = {},
                                           .window = params.window,
                                           .in_channels = params.in_per_group,
                                           .input_zero_point = zero_point_of(t.in(0)),
                                           .accumulator_zero_point = accumulator.zero_point};
  use.in = {axes.in};
  return use;
}

}  // namespace

KernelUse convolution_use(const Operands& t, Method method, const ConvolutionAxes& axes,
                          runtime::Conv2DParams params, Activation activation) {
  const ClampRange clamp = clamp_range(activation, t.out());
  if (const Accumulator* narrow = find_accumulator(t.graph, t.op.outputs[0]))
    return narrow_use(t, method, axes, params, *narrow, clamp);
  params.input_zero_point = zero_point_of(t.in(0));
  params.output_zero_point = zero_point_of(t.out());
  params.clamp_min = clamp.min;
  params.clamp_max = clamp.max;
  const bool finalise = method == Method::kFinalise;
  KernelUse use{.kernel = convolution_kernel(method),
                .params = params,
                .inputs = {0},
                .in = {finalise ? axes.out : axes.in},
                .out = axes.out,
                .limits = limits_of(axes.out, t.out().shape)};
  if (method != Method::kCompute) return use;
  const FoldedConvolution folded(t);
  const FoldedWeights view = folded.view({clamp.min, clamp.max});
  use.small_sums = pairs_hold(view, WeightForm::kCompact);
  use.nibbles = fit_nibbles(view.weights);
  use.nibble_fours = use.nibbles && nibble_fours_hold(view);
  use.nibble_pairs = use.nibbles && pairs_hold(view, WeightForm::kNibbles);
  return use;
}

bool supported(const Conv2D&, const Operands& t, Method method) {
  if (has_int16_weights(t) || has_float_weights(t)) return method == Method::kCompute;
  if (has_offset_weights(t)) return method == Method::kCompute;
  if (method == Method::kInPlace || !has_foldable_weights(t)) return false;
  const bool grouped = t.in(0).shape.back() != t.in(1).shape.back();
  if (grouped && method != Method::kCompute) return false;
  return bias_folds(t, WeightOrder::kChannelFirst);
}

std::vector<KernelUse> uses(const Conv2D& a, const Operands& t, Method method) {
  const int64_t per_group = t.in(1).shape.back();
  const int64_t groups = t.in(0).shape.back() / per_group;
  const auto fill = [&](auto params) {
    params.window = window_of(a.window, t.in(0).shape);
    params.in_per_group = static_cast<int32_t>(per_group);
    params.out_per_group = static_cast<int32_t>(t.out().shape.back() / groups);
    return params;
  };
  const ConvolutionAxes axes{identity_axes(4), identity_axes(4)};
  if (is_float32(t)) {
    return {float_convolution_use(t, Family::kConv2D, axes, fill(runtime::FloatConv2DParams{}),
                                  a.activation)};
  }
  if (has_int16_weights(t) || has_offset_weights(t)) {
    const Family family = has_offset_weights(t) ? Family::kConv2DOffset : Family::kConv2D;
    return {unfolded_use(t, family, axes, fill(runtime::UnfoldedConv2DParams{}), a.activation)};
  }
  return {convolution_use(t, method, axes, fill(runtime::Conv2DParams{}), a.activation)};
}

namespace {

std::vector<PackedConstant> pack_conv_2d(const Operands& t) {
  return weight_constants(t, WeightOrder::kChannelFirst, t.in(1).shape);
}

std::vector<PackedConstant> pack_narrow_conv_2d(const Operands& t) {
  const Accumulator* accumulator = find_accumulator(t.graph, t.op.outputs[0]);
  check(accumulator != nullptr, "narrow sums without an accumulator");
  std::vector<PackedConstant> result =
      unfolded_constants(t, static_cast<size_t>(t.out().shape.back()), accumulator->scale);
  result.insert(result.begin(), packed_weights(t, t.in(1).shape));
  return result;
}

}  // namespace

std::span<const KernelInfo> conv_2d_rows() {
  using enum DType;
  using enum Family;
  using enum Progress;
  static constexpr KernelInfo kRows[] = {
      row<runtime::conv_2d>(
          {.name = "conv_2d", .family = kConv2D, .progress = kPixel, .pack = pack_conv_2d}),
      row<runtime::conv_2d_nibbles>({.name = "conv_2d_nibbles",
                                     .family = kConv2D,
                                     .progress = kPixel,
                                     .takes = has_nibbles,
                                     .form = WeightForm::kNibbles,
                                     .pack = nibble_constants}),
      row<runtime::conv_2d_accumulate>({.name = "conv_2d_accumulate",
                                        .family = kConv2DAccumulate,
                                        .out = kInt32,
                                        .progress = kPixel,
                                        .pack = pack_conv_2d}),
      row<runtime::conv_2d_accumulate_i16>({.name = "conv_2d_accumulate_i16",
                                            .family = kConv2DAccumulate,
                                            .out = kInt16,
                                            .progress = kPixel,
                                            .pack = pack_narrow_conv_2d}),
      row<runtime::conv_2d_accumulate_i8>({.name = "conv_2d_accumulate_i8",
                                           .family = kConv2DAccumulate,
                                           .progress = kPixel,
                                           .pack = pack_narrow_conv_2d}),
      row<runtime::conv_2d_finalise>({.name = "conv_2d_finalise",
                                      .family = kConv2DFinalise,
                                      .in = kInt32,
                                      .out = kInt8,
                                      .pack = pack_conv_2d}),
  };
  return kRows;
}

}  // namespace thimble
