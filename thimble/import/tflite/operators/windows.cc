// SPDX-License-Identifier: Apache-2.0
// Convolutions and pools.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>

#include "thimble/import/tflite/operators/lists.h"
#include "thimble/import/tflite/shape_rules.h"
#include "thimble/model/same_padding.h"

namespace thimble {
namespace {

/// image: that the window slides over.
Window padded(const TfliteOp& op, Window window, tfl::Padding padding, const Shape& image) {
  const std::array<int64_t, 6> sizes = {window.kernel_h, window.kernel_w,   window.stride_h,
                                        window.stride_w, window.dilation_h, window.dilation_w};
  if (std::ranges::any_of(sizes, [](int64_t size) { return size < 1; })) {
    op.damaged(
        fmt::format("kernel {}x{}, stride {}x{}, dilation {}x{}; each is "
                    "at least 1",
                    window.kernel_h, window.kernel_w, window.stride_h, window.stride_w,
                    window.dilation_h, window.dilation_w));
  }
  if (padding != tfl::Padding::SAME && padding != tfl::Padding::VALID) {
    op.refuse(
        fmt::format("padding {} is not supported; supported are SAME and "
                    "VALID",
                    static_cast<int>(padding)));
  }
  // Another rank is refused by the operator's constraints, with their message.
  if (padding == tfl::Padding::SAME && image.size() == 4) {
    window.padding = same_padding(window, image[1], image[2]);
  }
  return window;
}

/// The window of a convolution: its kernel is what the weights say.
Window convolution_window(const TfliteOp& op, const tfl::ConvolutionOptions& from) {
  Window window{.stride_h = from.stride_h,
                .stride_w = from.stride_w,
                .dilation_h = from.dilation_h,
                .dilation_w = from.dilation_w,
                .padding = {}};
  const Shape& weights = op.input(1).shape;
  if (weights.size() == 4) {
    window.kernel_h = weights[1];
    window.kernel_w = weights[2];
  }
  return padded(op, window, from.padding, op.input(0).shape);
}

Window pool_window(const TfliteOp& op, const tfl::PoolOptions& from) {
  const Window window{.kernel_h = from.filter_h,
                      .kernel_w = from.filter_w,
                      .stride_h = from.stride_h,
                      .stride_w = from.stride_w,
                      .padding = {}};
  return padded(op, window, from.padding, op.input(0).shape);
}

Attributes conv_2d(const TfliteOp& op) {
  const auto& from = options<tfl::ConvolutionOptions>(op);
  return Conv2D{.window = convolution_window(op, from),
                .activation = activation(op, from.activation)};
}

Attributes depthwise_conv_2d(const TfliteOp& op) {
  const auto& from = options<tfl::ConvolutionOptions>(op);
  DepthwiseConv2D result{.window = convolution_window(op, from),
                         .activation = activation(op, from.activation)};
  const Shape& x = op.input(0).shape;
  const Shape& weights = op.input(1).shape;
  // The options' depth_multiplier is redundant, and wrong in some files; interpreters ignore it.
  if (x.size() == 4 && weights.size() == 4 && x[3] > 0) result.multiplier = weights[3] / x[3];
  return result;
}

/// SAME is the padding of the convolution that leads from the output to the input.
Attributes transpose_conv(const TfliteOp& op) {
  const auto& from = options<tfl::ConvolutionOptions>(op);
  const Shape& out = op.output().shape;
  // Interpreters go by the output's shape: extents that are an input of the network are not read.
  if (op.input(0).is_constant()) {
    const std::vector<int64_t> extents = integers(op, 0, "output extents");
    if (extents != out) {
      op.damaged(
          fmt::format("output extents of [{}] for an output "
                      "of shape {}",
                      fmt::join(extents, ", "), to_string(out)));
    }
  }
  Window window{.stride_h = from.stride_h, .stride_w = from.stride_w, .padding = {}};
  const Shape& weights = op.input(1).shape;
  if (weights.size() == 4) {
    window.kernel_h = weights[1];
    window.kernel_w = weights[2];
  }
  window = padded(op, window, from.padding, out);
  window.padding.bottom = window.padding.right = 0;  // they make no difference
  return TransposeConv{.window = window, .activation = activation(op, from.activation)};
}

Attributes average_pool_2d(const TfliteOp& op) {
  const auto& from = options<tfl::PoolOptions>(op);
  return AveragePool2D{.window = pool_window(op, from),
                       .activation = activation(op, from.activation)};
}

Attributes max_pool_2d(const TfliteOp& op) {
  const auto& from = options<tfl::PoolOptions>(op);
  return MaxPool2D{.window = pool_window(op, from), .activation = activation(op, from.activation)};
}

Attributes l2_pool_2d(const TfliteOp& op) {
  const auto& from = options<tfl::PoolOptions>(op);
  return L2Pool2D{.window = pool_window(op, from), .activation = activation(op, from.activation)};
}

int64_t windows(const TfliteOp& op, tfl::Padding padding, int64_t extent, int64_t kernel,
                int64_t stride, int64_t dilation) {
  if (stride < 1 || dilation < 1 || kernel < 1 || kernel > std::numeric_limits<int32_t>::max())
    refuse_operands(op);
  const int64_t span = (kernel - 1) * dilation + 1;
  if (padding == tfl::Padding::SAME) return (extent + stride - 1) / stride;
  if (extent < span) refuse_operands(op);
  return (extent - span) / stride + 1;
}

template <size_t channels_axis>
Shape convolved(const TfliteOp& op) {
  const auto& o = options<tfl::ConvolutionOptions>(op);
  const Shape &x = shape_of(op, 0, 4), &w = shape_of(op, 1, 4);
  return {x[0], windows(op, o.padding, x[1], w[1], o.stride_h, o.dilation_h),
          windows(op, o.padding, x[2], w[2], o.stride_w, o.dilation_w), w[channels_axis]};
}

Shape pooled(const TfliteOp& op) {
  const auto& o = options<tfl::PoolOptions>(op);
  const Shape& x = shape_of(op, 0, 4);
  return {x[0], windows(op, o.padding, x[1], o.filter_h, o.stride_h, 1),
          windows(op, o.padding, x[2], o.filter_w, o.stride_w, 1), x[3]};
}

Shape output_extents(const TfliteOp& op) {
  if (!op.input(0).is_constant()) not_followed(op);
  return integers(op, 0, "output extents");
}

}  // namespace

OperatorList window_kinds() {
  using enum tfl::BuiltinOperator;
  using enum OperatorKind::Uint8;
  static constexpr OperatorKind kKinds[] = {
      {.code = AVERAGE_POOL_2D, .attributes = average_pool_2d, .shape = pooled, .uint8 = kComputes},
      {.code = CONV_2D,
       .inputs = {2, 3},
       .first_optional = 2,
       .weighted = true,
       .attributes = conv_2d,
       .shape = convolved<0>,
       .uint8 = kComputes},
      {.code = DEPTHWISE_CONV_2D,
       .inputs = {2, 3},
       .first_optional = 2,
       .weighted = true,
       .attributes = depthwise_conv_2d,
       .shape = convolved<3>,
       .uint8 = kComputes},
      {.code = L2_POOL_2D, .attributes = l2_pool_2d, .shape = pooled},
      {.code = MAX_POOL_2D, .attributes = max_pool_2d, .shape = pooled, .uint8 = kComputes},
      {.code = TRANSPOSE_CONV,
       .inputs = {3, 4},
       .first_operand = 1,
       .first_optional = 3,
       .weighted = true,
       .weights_first = true,
       .attributes = transpose_conv,
       .shape = output_extents,
       .uint8 = kComputes},
  };
  return kKinds;
}

}  // namespace thimble
