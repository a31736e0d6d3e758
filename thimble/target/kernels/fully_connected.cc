// SPDX-License-Identifier: Apache-2.0
// A fully connected layer is a 1 x 1 convolution over its batch; one whose weights are no
// constants, or have a zero point, has a kernel of its own.
#include <algorithm>
#include <numeric>
#include <optional>

#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/convolution/conv_2d.h"
#include "thimble/target/kernels/convolution/float_conv_2d.h"
#include "thimble/target/kernels/convolution/unfolded_conv_2d.h"
#include "thimble/target/kernels/convolution/weights.h"
#include "thimble/target/kernels/floats.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/quantize.h"
#include "thimble/target/kernels/rows.h"

namespace thimble {
namespace {

// The leading axes of x that are the batch: K is the product of the others. Nothing if K does not
// end at the border of an axis.
std::optional<size_t> batch_axes(const Shape& x, int64_t depth) {
  size_t batch = x.size();
  int64_t merged = 1;
  if (batch > 0 && x[batch - 1] == 1) --batch;  // an axis of its own, if it can be
  while (merged < depth && batch > 0) merged *= x[--batch];
  if (merged != depth) return std::nullopt;
  return batch;
}

std::vector<int> axis_range(size_t begin, size_t end) {
  std::vector<int> axes(end - begin);
  std::iota(axes.begin(), axes.end(), static_cast<int>(begin));
  return axes;
}

// Batch axes one by one if x and the output agree on them, else merged on both sides.
ConvolutionAxes axes_of(const Operands& t) {
  const Shape& x = t.in(0).shape;
  const Shape& out = t.out().shape;
  const size_t batch = batch_axes(x, t.in(1).shape[1]).value();
  const size_t out_batch = out.size() - 1;
  const bool alike = batch == out_batch &&
                     std::equal(x.begin(), x.begin() + static_cast<int64_t>(batch), out.begin());
  ConvolutionAxes axes;
  if (alike) {
    axes.out = identity_axes(out.size());
    axes.in = axes.out;
  } else {
    axes.in = axes.out = identity_axes(0);
    axes.in.axes[2] = axis_range(0, batch);
    axes.out.axes[2] = axis_range(0, out_batch);
    axes.out.axes[3] = {static_cast<int>(out_batch)};
  }
  axes.in.axes.back() = axis_range(batch, x.size());
  return axes;
}

bool has_variable_weights(const Operands& t) {
  if (t.count() < 2 || t.count() > 3) return false;
  const Tensor* bias = t.bias();
  return t.in(0).type == DType::kInt8 && t.in(1).type == DType::kInt8 &&
         t.out().type == DType::kInt8 && t.in(1).quantization.zero_points.size() <= 1 &&
         (bias == nullptr || (bias->type == DType::kInt32 && bias->is_constant()));
}

KernelUse variable_weights_use(const FullyConnected& a, const Operands& t) {
  const Shape& weights = t.in(1).shape;
  const ClampRange clamp = clamp_range(a.activation, t.out());
  runtime::FullyConnectedParams params{};
  params.in_channels = static_cast<int32_t>(weights[1]);
  params.input_zero_point = zero_point_of(t.in(0));
  params.weights_zero_point = zero_point_of(t.in(1));
  params.output_zero_point = zero_point_of(t.out());
  params.clamp_min = clamp.min;
  params.clamp_max = clamp.max;
  ConvolutionAxes axes = axes_of(t);
  OperandAxes rows = axes.out;  // as many axes; only (x, c) are walked: out channel, in channel
  for (std::vector<int>& axis : rows.axes) axis.clear();
  rows.axes[rows.axes.size() - 2] = {0};
  rows.axes[rows.axes.size() - 1] = {1};
  return {.kernel = portable_kernel(Family::kFullyConnected),
          .params = params,
          .inputs = {0, 1},
          .in = {axes.in, rows},
          .out = axes.out,
          .limits = limits_of(axes.out, t.out().shape)};
}

}  // namespace

bool supported(const FullyConnected&, const Operands& t, Method method) {
  if (method == Method::kInPlace || t.count() < 2) return false;
  const Shape& x = t.in(0).shape;
  const Shape& weights = t.in(1).shape;
  if (weights.size() != 2 || x.empty() || t.out().shape.empty()) return false;
  if (!batch_axes(x, weights[1])) return false;
  if (has_int16_weights(t) || has_float_weights(t)) return method == Method::kCompute;
  if (!has_foldable_weights(t)) return method == Method::kCompute && has_variable_weights(t);
  // Chunks are intervals of one axis.
  if (method != Method::kCompute && x.back() != weights[1]) return false;
  return bias_folds(t, WeightOrder::kChannelFirst);
}

std::vector<KernelUse> uses(const FullyConnected& a, const Operands& t, Method method) {
  if (!has_int16_weights(t) && !has_float_weights(t) && !has_foldable_weights(t))
    return {variable_weights_use(a, t)};
  const Shape& weights = t.in(1).shape;
  const ConvolutionAxes axes = axes_of(t);
  const Region limits = limits_of(axes.out, t.out().shape);
  const auto fill = [&](auto params) {
    params.window = {.kernel_h = 1,
                     .kernel_w = 1,
                     .stride_h = 1,
                     .stride_w = 1,
                     .dilation_h = 1,
                     .dilation_w = 1,
                     .pad_top = 0,
                     .pad_left = 0,
                     .in_h = static_cast<int32_t>(limits[limits.size() - 3].end),
                     .in_w = static_cast<int32_t>(limits[limits.size() - 2].end)};
    params.in_per_group = static_cast<int32_t>(weights[1]);
    params.out_per_group = static_cast<int32_t>(weights[0]);
    return params;
  };
  if (is_float32(t)) {
    return {float_convolution_use(t, Family::kConv2D, axes, fill(runtime::FloatConv2DParams{}),
                                  a.activation)};
  }
  if (has_int16_weights(t)) {
    return {unfolded_use(t, Family::kConv2D, axes, fill(runtime::UnfoldedConv2DParams{}),
                         a.activation)};
  }
  return {convolution_use(t, method, axes, fill(runtime::Conv2DParams{}), a.activation)};
}

namespace {

std::vector<PackedConstant> pack_fully_connected(const Operands& t) {
  return unfolded_constants(t, static_cast<size_t>(t.in(1).shape[0]), scale_of(t.out()));
}

}  // namespace

std::span<const KernelInfo> fully_connected_rows() {
  using enum Family;
  using enum Progress;
  static constexpr KernelInfo kRows[] = {
      row<runtime::fully_connected>({.name = "fully_connected",
                                     .family = kFullyConnected,
                                     .progress = kPixel,
                                     .pack = pack_fully_connected}),
  };
  return kRows;
}

}  // namespace thimble
