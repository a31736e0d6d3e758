// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tflite/attributes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "thimble/model/error.h"
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

/// MEAN and SUM.
template <class Reduction>
Attributes reduction(const TfliteOp& op) {
  Reduction result;
  for (int64_t axis : integers(op, 1, "axes")) {
    result.axes.push_back(axis_of(op, axis, op.input(0).shape.size()));
  }
  std::ranges::sort(result.axes);
  result.axes.erase(std::unique(result.axes.begin(), result.axes.end()), result.axes.end());
  return result;
}

int one_axis(const TfliteOp& op) {
  const std::vector<int64_t> axes = integers(op, 1, "axes");
  if (axes.size() != 1) op.damaged(fmt::format("{} axes instead of 1", axes.size()));
  return axis_of(op, axes[0], op.input(0).shape.size());
}

/// Positions of int64 are found as int32.
void find_extreme(const TfliteOp& op, Expansion& steps, bool least) {
  const ArgMax found{.axis = one_axis(op), .least = least};
  const Tensor out = op.output();
  if (out.type != DType::kInt64) return steps.finish(found, {op.inputs[0]});
  const TensorId positions = steps.make_as(
      found, {op.inputs[0]},
      {.name = "", .shape = out.shape, .type = DType::kInt32, .quantization = {}, .data = nullptr});
  steps.finish(Cast{}, {positions});
}

Pad paddings(const TfliteOp& op) {
  const Tensor& x = op.input(0);
  const Tensor& table = op.input(1);
  const auto rank = static_cast<int64_t>(x.shape.size());
  const std::vector<int64_t> counts = integers(op, 1, "paddings");
  if (table.shape != Shape{rank, 2}) {
    op.damaged(
        fmt::format("paddings of shape {} for an input of shape "
                    "{}",
                    to_string(table.shape), to_string(x.shape)));
  }
  Pad result;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 0 || counts[i] > std::numeric_limits<int32_t>::max()) {
      op.refuse(fmt::format("padding {} is not supported; it is 0 to {}", counts[i],
                            std::numeric_limits<int32_t>::max()));
    }
    (i % 2 == 0 ? result.before : result.after).push_back(counts[i]);
  }
  const Quantization& quantization = op.output().quantization;
  result.value = quantization.zero_points.empty() ? 0 : quantization.zero_points[0];
  return result;
}

template <class T>
T first_as(const Bytes& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

/// The size is a parameter that the output's shape repeats.
template <class Operator>
Attributes resize(const TfliteOp& op) {
  const auto& from = options<tfl::ResizeOptions>(op);
  const std::vector<int64_t> size = integers(op, 1, "sizes");
  const Shape& out = op.output().shape;
  // Another rank is refused by the operator's constraints, with their message.
  if (size.size() != 2 || (out.size() == 4 && (out[1] != size[0] || out[2] != size[1]))) {
    op.damaged(
        fmt::format("a new size of [{}] for an output of "
                    "shape {}",
                    fmt::join(size, ", "), to_string(out)));
  }
  return Operator{.align_corners = from.align_corners,
                  .half_pixel_centers = from.half_pixel_centers};
}

}  // namespace

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

Attributes fully_connected(const TfliteOp& op) {
  const auto& from = options<tfl::FullyConnectedOptions>(op);
  if (from.weights_format != tfl::FullyConnectedOptionsWeightsFormat::DEFAULT) {
    op.refuse("shuffled weights are not supported; supported is the default format");
  }
  return FullyConnected{.activation = activation(op, from.activation)};
}

Attributes batch_matmul(const TfliteOp& op) {
  const auto& from = options<tfl::BatchMatMulOptions>(op);
  return BatchMatMul{.adjoint_x = from.adj_x, .adjoint_y = from.adj_y};
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

Attributes mean(const TfliteOp& op) { return reduction<Mean>(op); }
Attributes sum(const TfliteOp& op) { return reduction<Sum>(op); }

void arg_max(const TfliteOp& op, Expansion& steps) { find_extreme(op, steps, false); }
void arg_min(const TfliteOp& op, Expansion& steps) { find_extreme(op, steps, true); }

Attributes cumsum(const TfliteOp& op) {
  const auto* from = options_if_any<tfl::CumsumOptions>(op);
  return CumSum{.axis = one_axis(op),
                .exclusive = from != nullptr && from->exclusive,
                .reverse = from != nullptr && from->reverse};
}

Attributes l2_normalization(const TfliteOp& op) {
  const auto* from = options_if_any<tfl::ActivationOptions>(op);
  if (from != nullptr && from->activation != tfl::ActivationFunctionType::NONE) {
    op.refuse(
        fmt::format("fused activation {} is not supported; supported is "
                    "NONE",
                    format_name(from->activation)));
  }
  return L2Normalization{};
}

Attributes pad(const TfliteOp& op) { return paddings(op); }

Attributes padv2(const TfliteOp& op) {
  Pad result = paddings(op);
  const Tensor& value = op.input(2);
  if (!value.is_constant() || elements(value.shape) != 1 || value.type != op.input(0).type) {
    op.refuse("its value is not supported; supported is one constant of the input's type");
  }
  const Bytes& bytes = *value.data;
  switch (value.type) {
    case DType::kInt8:
      result.value = bytes[0] < 0x80 ? bytes[0] : bytes[0] - 0x100;
      return result;
    case DType::kUInt8:
    case DType::kBool:
      result.value = bytes[0];
      return result;
    case DType::kInt16:
      result.value = first_as<int16_t>(bytes);
      return result;
    case DType::kInt32:
    case DType::kUInt32:
    case DType::kFloat32:
      result.value = first_as<int32_t>(bytes);
      return result;
    case DType::kInt64:
    case DType::kUInt64:
      // Attributes have no room for more.
      if (std::ranges::all_of(bytes, [](uint8_t byte) { return byte == 0; })) {
        result.value = 0;
        return result;
      }
      op.refuse(fmt::format("a value other than 0 is not supported for {}", name(value.type)));
  }
  throw InternalError("unknown DType");
}

Attributes reshape(const TfliteOp& op) {
  if (op.inputs.size() > 1) (void)integers(op, 1, "new extents");
  return Reshape{};
}

Attributes transpose(const TfliteOp& op) {
  const size_t rank = op.input(0).shape.size();
  Transpose result;
  for (int64_t axis : integers(op, 1, "axes"))
    result.permutation.push_back(axis_of(op, axis, rank));
  std::vector<int> sorted = result.permutation;
  std::ranges::sort(sorted);
  if (sorted.size() != rank || std::ranges::adjacent_find(sorted) != sorted.end()) {
    op.damaged(fmt::format("{{{}}} is not a permutation of {} axes",
                           fmt::join(result.permutation, ", "), rank));
  }
  return result;
}

Attributes softmax(const TfliteOp& op) {
  const float beta = options<tfl::SoftmaxOptions>(op).beta;
  if (!std::isfinite(beta)) op.damaged("beta is not finite");
  return Softmax{.beta = beta};
}

Attributes concatenation(const TfliteOp& op) {
  const auto& from = options<tfl::AxisOptions>(op);
  return Concat{.axis = axis_of(op, from.axis, op.output().shape.size()),
                .activation = activation(op, from.activation)};
}

Attributes resize_bilinear(const TfliteOp& op) { return resize<ResizeBilinear>(op); }

Attributes resize_nearest_neighbor(const TfliteOp& op) { return resize<ResizeNearestNeighbor>(op); }

Attributes leaky_relu(const TfliteOp& op) {
  return LeakyRelu{.alpha = options<tfl::LeakyReluOptions>(op).alpha};
}

/// Converters leave out options of nothing but defaults.
Attributes gelu(const TfliteOp& op) {
  const auto* from = options_if_any<tfl::GeluOptions>(op);
  return Gelu{.approximate = from != nullptr && from->approximate};
}

}  // namespace thimble
