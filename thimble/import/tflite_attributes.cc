// SPDX-License-Identifier: Apache-2.0
// Attributes of each builtin operator, from its options, its constant parameters and its shapes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "thimble/import/tflite_parts.h"
#include "thimble/model/error.h"
#include "thimble/model/same_padding.h"

namespace thimble {
namespace {

using tflite::BuiltinOperator;

/// image: that the window slides over.
Window padded(const FileOp& op, Window window, tflite::Padding padding, const Shape& image) {
  const std::array<int64_t, 6> sizes = {window.kernel_h, window.kernel_w,   window.stride_h,
                                        window.stride_w, window.dilation_h, window.dilation_w};
  if (std::ranges::any_of(sizes, [](int64_t size) { return size < 1; })) {
    throw CompileError(
        op.where, fmt::format("is damaged: kernel {}x{}, stride {}x{}, dilation {}x{}; each is "
                              "at least 1",
                              window.kernel_h, window.kernel_w, window.stride_h, window.stride_w,
                              window.dilation_h, window.dilation_w));
  }
  if (padding != tflite::Padding::SAME && padding != tflite::Padding::VALID) {
    throw CompileError(op.where, fmt::format("padding {} is not supported; supported are SAME and "
                                             "VALID",
                                             static_cast<int>(padding)));
  }
  // Another rank is refused by the operator's constraints, with their message.
  if (padding == tflite::Padding::SAME && image.size() == 4) {
    window.padding = same_padding(window, image[1], image[2]);
  }
  return window;
}

/// The window of a convolution: its kernel is what the weights say.
template <class Options>
Window convolution_window(const FileOp& op, const Options& from) {
  Window window{.stride_h = from.stride_h(),
                .stride_w = from.stride_w(),
                .dilation_h = from.dilation_h_factor(),
                .dilation_w = from.dilation_w_factor(),
                .padding = {}};
  const Shape& weights = op.input(1).shape;
  if (weights.size() == 4) {
    window.kernel_h = weights[1];
    window.kernel_w = weights[2];
  }
  return padded(op, window, from.padding(), op.input(0).shape);
}

Window pool_window(const FileOp& op, const tflite::Pool2DOptions& from) {
  const Window window{.kernel_h = from.filter_height(),
                      .kernel_w = from.filter_width(),
                      .stride_h = from.stride_h(),
                      .stride_w = from.stride_w(),
                      .padding = {}};
  return padded(op, window, from.padding(), op.input(0).shape);
}

template <class T>
std::vector<int64_t> values(const Bytes& bytes) {
  std::vector<int64_t> result(bytes.size() / sizeof(T));
  for (size_t i = 0; i < result.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    result[i] = value;
  }
  return result;
}

Attributes conv_2d(const FileOp& op) {
  const auto& from = options(op, op.op.builtin_options_as_Conv2DOptions());
  return Conv2D{.window = convolution_window(op, from),
                .activation = activation(op, from.fused_activation_function())};
}

Attributes depthwise_conv_2d(const FileOp& op) {
  const auto& from = options(op, op.op.builtin_options_as_DepthwiseConv2DOptions());
  DepthwiseConv2D result{.window = convolution_window(op, from),
                         .activation = activation(op, from.fused_activation_function())};
  const Shape& x = op.input(0).shape;
  const Shape& weights = op.input(1).shape;
  // The options' depth_multiplier is redundant, and wrong in some files; interpreters ignore it.
  if (x.size() == 4 && weights.size() == 4 && x[3] > 0) result.multiplier = weights[3] / x[3];
  return result;
}

/// SAME is the padding of the convolution that leads from the output to the input.
Attributes transpose_conv(const FileOp& op) {
  const auto& from = options(op, op.op.builtin_options_as_TransposeConvOptions());
  const Shape& out = op.output().shape;
  // Interpreters go by the output's shape: extents that are an input of the network are not read.
  if (op.input(0).is_constant()) {
    const std::vector<int64_t> extents = integers(op, 0, "output extents");
    if (extents != out) {
      throw CompileError(op.where, fmt::format("is damaged: output extents of [{}] for an output "
                                               "of shape {}",
                                               fmt::join(extents, ", "), to_string(out)));
    }
  }
  Window window{.stride_h = from.stride_h(), .stride_w = from.stride_w(), .padding = {}};
  const Shape& weights = op.input(1).shape;
  if (weights.size() == 4) {
    window.kernel_h = weights[1];
    window.kernel_w = weights[2];
  }
  window = padded(op, window, from.padding(), out);
  window.padding.bottom = window.padding.right = 0;  // they make no difference
  return TransposeConv{.window = window,
                       .activation = activation(op, from.fused_activation_function())};
}

Attributes fully_connected(const FileOp& op) {
  const auto& from = options(op, op.op.builtin_options_as_FullyConnectedOptions());
  if (from.weights_format() != tflite::FullyConnectedOptionsWeightsFormat::DEFAULT) {
    throw CompileError(op.where,
                       "shuffled weights are not supported; supported is the default format");
  }
  return FullyConnected{.activation = activation(op, from.fused_activation_function())};
}

Attributes batch_matmul(const FileOp& op) {
  const auto& from = options(op, op.op.builtin_options_as_BatchMatMulOptions());
  return BatchMatMul{.adjoint_x = from.adj_x(), .adjoint_y = from.adj_y()};
}

Attributes average_pool_2d(const FileOp& op) {
  const auto& from = options(op, op.op.builtin_options_as_Pool2DOptions());
  return AveragePool2D{.window = pool_window(op, from),
                       .activation = activation(op, from.fused_activation_function())};
}

Attributes max_pool_2d(const FileOp& op) {
  const auto& from = options(op, op.op.builtin_options_as_Pool2DOptions());
  return MaxPool2D{.window = pool_window(op, from),
                   .activation = activation(op, from.fused_activation_function())};
}

Attributes l2_pool_2d(const FileOp& op) {
  const auto& from = options(op, op.op.builtin_options_as_Pool2DOptions());
  return L2Pool2D{.window = pool_window(op, from),
                  .activation = activation(op, from.fused_activation_function())};
}

/// MEAN and SUM.
template <class Reduction>
Attributes reduction(const FileOp& op) {
  Reduction result;
  for (int64_t axis : integers(op, 1, "axes")) {
    result.axes.push_back(axis_of(op, axis, op.input(0).shape.size()));
  }
  std::ranges::sort(result.axes);
  result.axes.erase(std::unique(result.axes.begin(), result.axes.end()), result.axes.end());
  return result;
}

int one_axis(const FileOp& op) {
  const std::vector<int64_t> axes = integers(op, 1, "axes");
  if (axes.size() != 1)
    throw CompileError(op.where, fmt::format("is damaged: {} axes instead of 1", axes.size()));
  return axis_of(op, axes[0], op.input(0).shape.size());
}

/// Positions of int64 are found as int32.
template <bool kLeast>
void arg_max(const FileOp& op, Steps& steps) {
  const ArgMax found{.axis = one_axis(op), .least = kLeast};
  const Tensor out = op.output();
  if (out.type != DType::kInt64) return steps.finish(found, {op.inputs[0]});
  const TensorId positions = steps.make_as(
      found, {op.inputs[0]},
      {.name = "", .shape = out.shape, .type = DType::kInt32, .quantization = {}, .data = nullptr});
  steps.finish(Cast{}, {positions});
}

Attributes cumsum(const FileOp& op) {
  const auto* from = op.op.builtin_options_as_CumsumOptions();
  return CumSum{.axis = one_axis(op),
                .exclusive = from != nullptr && from->exclusive(),
                .reverse = from != nullptr && from->reverse()};
}

Attributes l2_normalization(const FileOp& op) {
  const auto* from = op.op.builtin_options_as_L2NormOptions();
  if (from != nullptr &&
      from->fused_activation_function() != tflite::ActivationFunctionType::NONE) {
    throw CompileError(
        op.where,
        fmt::format("fused activation {} is not supported; supported is "
                    "NONE",
                    tflite::EnumNameActivationFunctionType(from->fused_activation_function())));
  }
  return L2Normalization{};
}

template <bool kRemainder>
Attributes floor_div(const FileOp&) {
  return FloorDiv{kRemainder};
}

template <Relation kRelation>
Attributes comparison(const FileOp&) {
  return Comparison{kRelation};
}

Attributes add(const FileOp& op) {
  const auto& from = options(op, op.op.builtin_options_as_AddOptions());
  return Add{.activation = activation(op, from.fused_activation_function())};
}

Attributes mul(const FileOp& op) {
  const auto& from = options(op, op.op.builtin_options_as_MulOptions());
  return Mul{.activation = activation(op, from.fused_activation_function())};
}

Attributes sub(const FileOp& op) {
  const auto& from = options(op, op.op.builtin_options_as_SubOptions());
  return Sub{.activation = activation(op, from.fused_activation_function())};
}

Attributes div(const FileOp& op) {
  const auto& from = options(op, op.op.builtin_options_as_DivOptions());
  return Div{.activation = activation(op, from.fused_activation_function())};
}

Pad paddings(const FileOp& op) {
  const Tensor& x = op.input(0);
  const Tensor& table = op.input(1);
  const auto rank = static_cast<int64_t>(x.shape.size());
  const std::vector<int64_t> counts = integers(op, 1, "paddings");
  if (table.shape != Shape{rank, 2}) {
    throw CompileError(op.where,
                       fmt::format("is damaged: paddings of shape {} for an input of shape "
                                   "{}",
                                   to_string(table.shape), to_string(x.shape)));
  }
  Pad result;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 0 || counts[i] > std::numeric_limits<int32_t>::max()) {
      throw CompileError(op.where, fmt::format("padding {} is not supported; it is 0 to {}",
                                               counts[i], std::numeric_limits<int32_t>::max()));
    }
    (i % 2 == 0 ? result.before : result.after).push_back(counts[i]);
  }
  const Quantization& quantization = op.output().quantization;
  result.value = quantization.zero_points.empty() ? 0 : quantization.zero_points[0];
  return result;
}

Attributes pad(const FileOp& op) { return paddings(op); }

Attributes padv2(const FileOp& op) {
  Pad result = paddings(op);
  const Tensor& value = op.input(2);
  if (!value.is_constant() || elements(value.shape) != 1 || value.type != op.input(0).type) {
    throw CompileError(op.where,
                       "its value is not supported; supported is one constant of the input's type");
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
      result.value = static_cast<int32_t>(values<int16_t>(bytes)[0]);
      return result;
    case DType::kInt32:
    case DType::kUInt32:
    case DType::kFloat32:
      result.value = static_cast<int32_t>(values<int32_t>(bytes)[0]);
      return result;
    case DType::kInt64:
    case DType::kUInt64:
      // Attributes have no room for more.
      if (std::ranges::all_of(bytes, [](uint8_t byte) { return byte == 0; })) {
        result.value = 0;
        return result;
      }
      throw CompileError(
          op.where, fmt::format("a value other than 0 is not supported for {}", name(value.type)));
  }
  throw InternalError("unknown DType");
}

Attributes reshape(const FileOp& op) {
  if (op.inputs.size() > 1) (void)integers(op, 1, "new extents");
  return Reshape{};
}

Attributes transpose(const FileOp& op) {
  const size_t rank = op.input(0).shape.size();
  Transpose result;
  for (int64_t axis : integers(op, 1, "axes"))
    result.permutation.push_back(axis_of(op, axis, rank));
  std::vector<int> sorted = result.permutation;
  std::ranges::sort(sorted);
  if (sorted.size() != rank || std::ranges::adjacent_find(sorted) != sorted.end()) {
    throw CompileError(op.where, fmt::format("is damaged: {{{}}} is not a permutation of {} axes",
                                             fmt::join(result.permutation, ", "), rank));
  }
  return result;
}

Attributes softmax(const FileOp& op) {
  const float beta = options(op, op.op.builtin_options_as_SoftmaxOptions()).beta();
  if (!std::isfinite(beta)) throw CompileError(op.where, "is damaged: beta is not finite");
  return Softmax{.beta = beta};
}

Attributes concatenation(const FileOp& op) {
  const auto& from = options(op, op.op.builtin_options_as_ConcatenationOptions());
  return Concat{.axis = axis_of(op, from.axis(), op.output().shape.size()),
                .activation = activation(op, from.fused_activation_function())};
}

/// The size is a parameter that the output's shape repeats.
template <class Operator, class Options>
Attributes resize(const FileOp& op, const Options& from) {
  const std::vector<int64_t> size = integers(op, 1, "sizes");
  const Shape& out = op.output().shape;
  // Another rank is refused by the operator's constraints, with their message.
  if (size.size() != 2 || (out.size() == 4 && (out[1] != size[0] || out[2] != size[1]))) {
    throw CompileError(op.where, fmt::format("is damaged: a new size of [{}] for an output of "
                                             "shape {}",
                                             fmt::join(size, ", "), to_string(out)));
  }
  return Operator{.align_corners = from.align_corners(),
                  .half_pixel_centers = from.half_pixel_centers()};
}

Attributes resize_bilinear(const FileOp& op) {
  return resize<ResizeBilinear>(op, options(op, op.op.builtin_options_as_ResizeBilinearOptions()));
}

Attributes resize_nearest_neighbor(const FileOp& op) {
  return resize<ResizeNearestNeighbor>(
      op, options(op, op.op.builtin_options_as_ResizeNearestNeighborOptions()));
}

Attributes leaky_relu(const FileOp& op) {
  return LeakyRelu{.alpha = options(op, op.op.builtin_options_as_LeakyReluOptions()).alpha()};
}

/// Converters leave out options of nothing but defaults.
Attributes gelu(const FileOp& op) {
  const auto* from = op.op.builtin_options_as_GeluOptions();
  return Gelu{.approximate = from != nullptr && from->approximate()};
}

template <class Operator>
Attributes plain(const FileOp&) {
  return Operator{};
}

template <Activation kRange>
Attributes relu(const FileOp&) {
  return Relu{kRange};
}

template <Function kFunction>
Attributes elementwise(const FileOp&) {
  return Elementwise{kFunction};
}

constexpr size_t kNoLimit = OperatorKind::kNoLimit;

constexpr OperatorKind in_steps(BuiltinOperator code, size_t min_inputs, size_t max_inputs,
                                void (*steps)(const FileOp&, Steps&),
                                size_t first_optional = kNoLimit) {
  return {.code = code,
          .min_inputs = min_inputs,
          .max_inputs = max_inputs,
          .first_optional = first_optional,
          .steps = steps};
}

/// Read by HandledVariables.
constexpr OperatorKind by_handle(BuiltinOperator code) { return {.code = code}; }

constexpr std::array kOperatorKinds = {
    OperatorKind{BuiltinOperator::ABS, 1, 1, kNoLimit, kNoLimit, plain<Abs>},
    OperatorKind{BuiltinOperator::ADD, 2, 2, kNoLimit, kNoLimit, add},
    in_steps(BuiltinOperator::ADD_N, 1, kNoLimit, add_n),
    in_steps(BuiltinOperator::ARG_MAX, 2, 2, arg_max<false>),
    in_steps(BuiltinOperator::ARG_MIN, 2, 2, arg_max<true>),
    by_handle(BuiltinOperator::ASSIGN_VARIABLE),
    OperatorKind{BuiltinOperator::AVERAGE_POOL_2D, 1, 1, kNoLimit, kNoLimit, average_pool_2d},
    OperatorKind{BuiltinOperator::BATCH_MATMUL, 2, 2, kNoLimit, kNoLimit, batch_matmul},
    in_steps(BuiltinOperator::BATCH_TO_SPACE_ND, 3, 3, batch_to_space),
    in_steps(BuiltinOperator::BROADCAST_ARGS, 2, 2, only_extents),
    in_steps(BuiltinOperator::BROADCAST_TO, 2, 2, broadcast_to),
    by_handle(BuiltinOperator::CALL_ONCE),
    in_steps(BuiltinOperator::CAST, 1, 1, cast),
    OperatorKind{BuiltinOperator::CEIL, 1, 1, kNoLimit, kNoLimit, elementwise<Function::kCeil>},
    OperatorKind{BuiltinOperator::CONCATENATION, 1, kNoLimit, kNoLimit, kNoLimit, concatenation},
    OperatorKind{BuiltinOperator::CONV_2D, 2, 3, 2, kNoLimit, conv_2d},
    OperatorKind{BuiltinOperator::COS, 1, 1, kNoLimit, kNoLimit, elementwise<Function::kCos>},
    OperatorKind{BuiltinOperator::CUMSUM, 2, 2, kNoLimit, 1, cumsum},
    OperatorKind{BuiltinOperator::DEPTHWISE_CONV_2D, 2, 3, 2, kNoLimit, depthwise_conv_2d},
    in_steps(BuiltinOperator::DEPTH_TO_SPACE, 1, 1, depth_to_space),
    in_steps(BuiltinOperator::DEQUANTIZE, 1, 1, dequantize),
    OperatorKind{BuiltinOperator::DIV, 2, 2, kNoLimit, kNoLimit, div},
    in_steps(BuiltinOperator::DYNAMIC_UPDATE_SLICE, 3, 3, dynamic_update_slice),
    OperatorKind{BuiltinOperator::ELU, 1, 1, kNoLimit, kNoLimit, plain<Elu>},
    in_steps(BuiltinOperator::EMBEDDING_LOOKUP, 2, 2, embedding_lookup),
    OperatorKind{BuiltinOperator::EQUAL, 2, 2, kNoLimit, kNoLimit, comparison<Relation::kEqual>},
    OperatorKind{BuiltinOperator::EXP, 1, 1, kNoLimit, kNoLimit, elementwise<Function::kExp>},
    OperatorKind{BuiltinOperator::EXPAND_DIMS, 2, 2, kNoLimit, 1, reshape},
    in_steps(BuiltinOperator::FILL, 2, 2, only_extents),
    OperatorKind{BuiltinOperator::FLOOR, 1, 1, kNoLimit, kNoLimit, elementwise<Function::kFloor>},
    OperatorKind{BuiltinOperator::FLOOR_DIV, 2, 2, kNoLimit, kNoLimit, floor_div<false>},
    OperatorKind{BuiltinOperator::FLOOR_MOD, 2, 2, kNoLimit, kNoLimit, floor_div<true>},
    OperatorKind{BuiltinOperator::FULLY_CONNECTED, 2, 3, 2, kNoLimit, fully_connected},
    in_steps(BuiltinOperator::GATHER, 2, 2, gather),
    in_steps(BuiltinOperator::GATHER_ND, 2, 2, gather_nd),
    OperatorKind{BuiltinOperator::GELU, 1, 1, kNoLimit, kNoLimit, gelu},
    OperatorKind{BuiltinOperator::GREATER, 2, 2, kNoLimit, kNoLimit,
                 comparison<Relation::kGreater>},
    OperatorKind{BuiltinOperator::GREATER_EQUAL, 2, 2, kNoLimit, kNoLimit,
                 comparison<Relation::kGreaterEqual>},
    OperatorKind{BuiltinOperator::HARD_SWISH, 1, 1, kNoLimit, kNoLimit, plain<HardSwish>},
    OperatorKind{BuiltinOperator::L2_NORMALIZATION, 1, 1, kNoLimit, kNoLimit, l2_normalization},
    OperatorKind{BuiltinOperator::L2_POOL_2D, 1, 1, kNoLimit, kNoLimit, l2_pool_2d},
    OperatorKind{BuiltinOperator::LEAKY_RELU, 1, 1, kNoLimit, kNoLimit, leaky_relu},
    OperatorKind{BuiltinOperator::LESS, 2, 2, kNoLimit, kNoLimit, comparison<Relation::kLess>},
    OperatorKind{BuiltinOperator::LESS_EQUAL, 2, 2, kNoLimit, kNoLimit,
                 comparison<Relation::kLessEqual>},
    OperatorKind{BuiltinOperator::LOG, 1, 1, kNoLimit, kNoLimit, elementwise<Function::kLog>},
    OperatorKind{BuiltinOperator::LOGICAL_AND, 2, 2, kNoLimit, kNoLimit, plain<Minimum>},
    in_steps(BuiltinOperator::LOGICAL_NOT, 1, 1, logical_not),
    OperatorKind{BuiltinOperator::LOGICAL_OR, 2, 2, kNoLimit, kNoLimit, plain<Maximum>},
    OperatorKind{BuiltinOperator::LOGISTIC, 1, 1, kNoLimit, kNoLimit, plain<Logistic>},
    OperatorKind{BuiltinOperator::LOG_SOFTMAX, 1, 1, kNoLimit, kNoLimit, plain<LogSoftmax>},
    OperatorKind{BuiltinOperator::MAXIMUM, 2, 2, kNoLimit, kNoLimit, plain<Maximum>},
    OperatorKind{BuiltinOperator::MAX_POOL_2D, 1, 1, kNoLimit, kNoLimit, max_pool_2d},
    OperatorKind{BuiltinOperator::MEAN, 2, 2, kNoLimit, 1, reduction<Mean>},
    OperatorKind{BuiltinOperator::MINIMUM, 2, 2, kNoLimit, kNoLimit, plain<Minimum>},
    in_steps(BuiltinOperator::MIRROR_PAD, 2, 2, mirror_pad),
    OperatorKind{BuiltinOperator::MUL, 2, 2, kNoLimit, kNoLimit, mul},
    OperatorKind{BuiltinOperator::NEG, 1, 1, kNoLimit, kNoLimit, elementwise<Function::kNeg>},
    OperatorKind{BuiltinOperator::NOT_EQUAL, 2, 2, kNoLimit, kNoLimit,
                 comparison<Relation::kNotEqual>},
    in_steps(BuiltinOperator::PACK, 1, kNoLimit, pack),
    OperatorKind{BuiltinOperator::PAD, 2, 2, kNoLimit, 1, pad},
    OperatorKind{BuiltinOperator::PADV2, 3, 3, kNoLimit, 1, padv2},
    in_steps(BuiltinOperator::PRELU, 2, 2, prelu),
    OperatorKind{BuiltinOperator::QUANTIZE, 1, 1, kNoLimit, kNoLimit, plain<Quantize>},
    in_steps(BuiltinOperator::RANK, 1, 1, only_extents),
    by_handle(BuiltinOperator::READ_VARIABLE),
    in_steps(BuiltinOperator::REDUCE_ALL, 2, 2, reduce_all),
    in_steps(BuiltinOperator::REDUCE_ANY, 2, 2, reduce_any),
    in_steps(BuiltinOperator::REDUCE_MAX, 2, 2, reduce_max),
    in_steps(BuiltinOperator::REDUCE_MIN, 2, 2, reduce_min),
    in_steps(BuiltinOperator::REDUCE_PROD, 2, 2, only_extents),
    OperatorKind{BuiltinOperator::RELU, 1, 1, kNoLimit, kNoLimit, relu<Activation::kRelu>},
    OperatorKind{BuiltinOperator::RELU6, 1, 1, kNoLimit, kNoLimit, plain<Relu6>},
    OperatorKind{BuiltinOperator::RELU_0_TO_1, 1, 1, kNoLimit, kNoLimit,
                 relu<Activation::kRelu0To1>},
    OperatorKind{BuiltinOperator::RELU_N1_TO_1, 1, 1, kNoLimit, kNoLimit,
                 relu<Activation::kReluN1To1>},
    OperatorKind{BuiltinOperator::RESHAPE, 1, 2, kNoLimit, 1, reshape},
    OperatorKind{BuiltinOperator::RESIZE_BILINEAR, 2, 2, kNoLimit, 1, resize_bilinear},
    OperatorKind{BuiltinOperator::RESIZE_NEAREST_NEIGHBOR, 2, 2, kNoLimit, 1,
                 resize_nearest_neighbor},
    OperatorKind{BuiltinOperator::REVERSE_V2, 2, 2, kNoLimit, 1, reverse},
    OperatorKind{BuiltinOperator::ROUND, 1, 1, kNoLimit, kNoLimit, elementwise<Function::kRound>},
    OperatorKind{BuiltinOperator::RSQRT, 1, 1, kNoLimit, kNoLimit, plain<Rsqrt>},
    in_steps(BuiltinOperator::SELECT, 3, 3, select),
    OperatorKind{BuiltinOperator::SELECT_V2, 3, 3, kNoLimit, kNoLimit, plain<Select>},
    in_steps(BuiltinOperator::SHAPE, 1, 1, only_extents),
    OperatorKind{BuiltinOperator::SIN, 1, 1, kNoLimit, kNoLimit, elementwise<Function::kSin>},
    OperatorKind{BuiltinOperator::SLICE, 3, 3, kNoLimit, 1, slice},
    OperatorKind{BuiltinOperator::SOFTMAX, 1, 1, kNoLimit, kNoLimit, softmax},
    in_steps(BuiltinOperator::SPACE_TO_BATCH_ND, 3, 3, space_to_batch),
    in_steps(BuiltinOperator::SPACE_TO_DEPTH, 1, 1, space_to_depth),
    OperatorKind{BuiltinOperator::SPLIT, 2, 2, kNoLimit, kNoLimit, split, 1, true},
    OperatorKind{BuiltinOperator::SPLIT_V, 3, 3, kNoLimit, 1, split_v, 0, true},
    OperatorKind{BuiltinOperator::SQRT, 1, 1, kNoLimit, kNoLimit, elementwise<Function::kSqrt>},
    OperatorKind{BuiltinOperator::SQUARE, 1, 1, kNoLimit, kNoLimit, elementwise<Function::kSquare>},
    OperatorKind{BuiltinOperator::SQUARED_DIFFERENCE, 2, 2, kNoLimit, kNoLimit,
                 plain<SquaredDifference>},
    OperatorKind{BuiltinOperator::SQUEEZE, 1, 1, kNoLimit, kNoLimit, plain<Reshape>},
    in_steps(BuiltinOperator::STRIDED_SLICE, 4, 4, strided_slice),
    OperatorKind{BuiltinOperator::SUB, 2, 2, kNoLimit, kNoLimit, sub},
    OperatorKind{BuiltinOperator::SUM, 2, 2, kNoLimit, 1, reduction<Sum>},
    in_steps(BuiltinOperator::SVDF, 5, 5, svdf, 3),
    OperatorKind{BuiltinOperator::TANH, 1, 1, kNoLimit, kNoLimit, plain<Tanh>},
    in_steps(BuiltinOperator::TILE, 2, 2, tile),
    OperatorKind{BuiltinOperator::TRANSPOSE, 2, 2, kNoLimit, 1, transpose},
    OperatorKind{BuiltinOperator::TRANSPOSE_CONV, 3, 4, 3, kNoLimit, transpose_conv, 1, false,
                 true},
    in_steps(BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, 20, 24, unidirectional_sequence_lstm,
             1),
    OperatorKind{BuiltinOperator::UNPACK, 1, 1, kNoLimit, kNoLimit, unpack, 0, true},
    by_handle(BuiltinOperator::VAR_HANDLE),
    in_steps(BuiltinOperator::ZEROS_LIKE, 1, 1, only_extents),
};

}  // namespace

Activation activation(const FileOp& op, tflite::ActivationFunctionType type) {
  switch (type) {
    case tflite::ActivationFunctionType::NONE:
      return Activation::kNone;
    case tflite::ActivationFunctionType::RELU:
      return Activation::kRelu;
    case tflite::ActivationFunctionType::RELU_N1_TO_1:
      return Activation::kReluN1To1;
    case tflite::ActivationFunctionType::RELU6:
      return Activation::kRelu6;
    case tflite::ActivationFunctionType::TANH:
    case tflite::ActivationFunctionType::SIGN_BIT:
      break;
  }
  const std::string name = tflite::EnumNameActivationFunctionType(type);
  throw CompileError(op.where,
                     fmt::format("fused activation {} is not supported; supported are NONE, RELU, "
                                 "RELU_N1_TO_1 and RELU6",
                                 name.empty() ? std::to_string(static_cast<int>(type)) : name));
}

std::vector<int64_t> integers(const FileOp& op, size_t input, const char* what) {
  const Tensor& tensor = op.input(input);
  if (tensor.type != DType::kInt32 && tensor.type != DType::kInt64) {
    throw CompileError(op.where, fmt::format("its {} are of type {}; supported are int32 and int64",
                                             what, name(tensor.type)));
  }
  if (elements(tensor.shape) == 0) return {};
  if (!tensor.is_constant()) {
    throw CompileError(op.where, fmt::format("its {} are computed at run time; supported are "
                                             "constants",
                                             what));
  }
  return tensor.type == DType::kInt32 ? values<int32_t>(*tensor.data)
                                      : values<int64_t>(*tensor.data);
}

int axis_of(const FileOp& op, int64_t axis, size_t rank) {
  const auto end = static_cast<int64_t>(rank);
  if (axis < -end || axis >= end) {
    throw CompileError(op.where,
                       fmt::format("is damaged: axis {} of a tensor with {} axes", axis, rank));
  }
  return static_cast<int>(axis < 0 ? axis + end : axis);
}

std::span<const OperatorKind> operator_kinds() { return kOperatorKinds; }

}  // namespace thimble
