// SPDX-License-Identifier: Apache-2.0
// Convolutions and pools, of which some are REDUCE_MIN.
#include "thimble/export/tflite_ops.h"
#include "thimble/model/error.h"
#include "thimble/model/same_padding.h"

namespace thimble {
namespace {

tflite::Padding padding(const OpContext& c, const Window& window) {
  const Shape& x = c.input(0).shape;
  if (window.padding == same_padding(window, x[1], x[2])) return tflite::Padding::SAME;
  if (window.padding == Padding{}) return tflite::Padding::VALID;
  throw CompileError(label(c.op),
                     "the .tflite format has no room for its padding; it has SAME and VALID");
}

template <class Options>
Options convolution_options(const OpContext& c, const Window& window, Activation activation) {
  Options options;
  options.padding = padding(c, window);
  options.stride_w = static_cast<int32_t>(window.stride_w);
  options.stride_h = static_cast<int32_t>(window.stride_h);
  options.fused_activation_function = fused(activation);
  options.dilation_w_factor = static_cast<int32_t>(window.dilation_w);
  options.dilation_h_factor = static_cast<int32_t>(window.dilation_h);
  return options;
}

tflite::Pool2DOptionsT pool_options(const OpContext& c, const Window& window,
                                    Activation activation) {
  tflite::Pool2DOptionsT options;
  options.padding = padding(c, window);
  options.stride_w = static_cast<int32_t>(window.stride_w);
  options.stride_h = static_cast<int32_t>(window.stride_h);
  options.filter_width = static_cast<int32_t>(window.kernel_w);
  options.filter_height = static_cast<int32_t>(window.kernel_h);
  options.fused_activation_function = fused(activation);
  return options;
}

/// REDUCE_MIN of all rows of one column: the format has no windows of it.
FileOperator reduce_min(const MaxPool2D& op, const OpContext& c) {
  const Shape& x = c.input(0).shape;
  const Window all_rows{.kernel_h = x[1], .padding = {}};
  if (x[2] != 1 || op.window != all_rows || op.activation != Activation::kNone)
    throw CompileError(label(c.op), "the .tflite format has no such operator");
  return reduction(BuiltinOperator::REDUCE_MIN, {1}, c);
}

}  // namespace

FileOperator written(const AveragePool2D& op, const OpContext& c) {
  return made(BuiltinOperator::AVERAGE_POOL_2D, c.version(),
              pool_options(c, op.window, op.activation));
}

FileOperator written(const Conv2D& op, const OpContext& c) {
  const bool grouped = c.input(1).shape[3] != c.input(0).shape[3];
  return made(BuiltinOperator::CONV_2D, grouped ? 6 : c.version(3),
              convolution_options<tflite::Conv2DOptionsT>(c, op.window, op.activation));
}

FileOperator written(const DepthwiseConv2D& op, const OpContext& c) {
  auto options = convolution_options<tflite::DepthwiseConv2DOptionsT>(c, op.window, op.activation);
  options.depth_multiplier = static_cast<int32_t>(op.multiplier);
  return made(BuiltinOperator::DEPTHWISE_CONV_2D, c.version(3), options);
}

FileOperator written(const L2Pool2D& op, const OpContext& c) {
  return made(BuiltinOperator::L2_POOL_2D, 1, pool_options(c, op.window, op.activation));
}

FileOperator written(const MaxPool2D& op, const OpContext& c) {
  if (op.least) return reduce_min(op, c);
  return made(BuiltinOperator::MAX_POOL_2D, c.version(), pool_options(c, op.window, op.activation));
}

FileOperator written(const TransposeConv& op, const OpContext& c) {
  const Shape& out = c.output().shape;
  const Padding same = same_padding(op.window, out[1], out[2]);
  const bool is_same = op.window.padding.top == same.top && op.window.padding.left == same.left;
  if (!is_same && (op.window.padding.top != 0 || op.window.padding.left != 0)) {
    throw CompileError(label(c.op),
                       "the .tflite format has no room for its padding; it has SAME and VALID");
  }
  tflite::TransposeConvOptionsT options;
  options.padding = is_same ? tflite::Padding::SAME : tflite::Padding::VALID;
  options.stride_w = static_cast<int32_t>(op.window.stride_w);
  options.stride_h = static_cast<int32_t>(op.window.stride_h);
  options.fused_activation_function = fused(op.activation);
  const bool has_bias = c.op.inputs.size() > 2;
  const bool activates = op.activation != Activation::kNone;
  FileOperator result = made(BuiltinOperator::TRANSPOSE_CONV,
                             activates  ? 4
                             : has_bias ? 3
                                        : c.version(),
                             options, {integers("output_shape", out)});
  result.order = has_bias ? std::vector<size_t>{3, 1, 0, 2} : std::vector<size_t>{2, 1, 0};
  return result;
}

}  // namespace thimble
