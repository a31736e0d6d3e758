// SPDX-License-Identifier: Apache-2.0
// One overload per operator: code, version, options and constant operands.
#include "thimble/export/tflite_ops.h"

#include <algorithm>
#include <cstring>

#include "thimble/model/error.h"
#include "thimble/model/same_padding.h"

namespace thimble {
namespace {

using tflite::BuiltinOperator;

struct Context {
  const Graph& graph;
  const Op& op;

  [[nodiscard]] const Tensor& input(size_t i) const { return graph.tensor(op.inputs[i]); }
  [[nodiscard]] const Tensor& output() const { return graph.tensor(op.outputs[0]); }
  /// Most operators got their second version with int8.
  [[nodiscard]] int version(int of_int8 = 2) const {
    return input(0).type == DType::kInt8 ? of_int8 : 1;
  }
};

tflite::ActivationFunctionType fused(Activation activation) {
  switch (activation) {
    case Activation::kNone:
      return tflite::ActivationFunctionType::NONE;
    case Activation::kRelu:
      return tflite::ActivationFunctionType::RELU;
    case Activation::kReluN1To1:
      return tflite::ActivationFunctionType::RELU_N1_TO_1;
    case Activation::kRelu6:
      return tflite::ActivationFunctionType::RELU6;
    case Activation::kRelu0To1:
      break;  // never fused
  }
  throw InternalError("unknown activation");
}

tflite::Padding padding(const Context& c, const Window& window) {
  const Shape& x = c.input(0).shape;
  if (window.padding == same_padding(window, x[1], x[2])) return tflite::Padding::SAME;
  if (window.padding == Padding{}) return tflite::Padding::VALID;
  throw CompileError(label(c.op),
                     "the .tflite format has no room for its padding; it has SAME and VALID");
}

template <class Options>
Options convolution_options(const Context& c, const Window& window, Activation activation) {
  Options options;
  options.padding = padding(c, window);
  options.stride_w = static_cast<int32_t>(window.stride_w);
  options.stride_h = static_cast<int32_t>(window.stride_h);
  options.fused_activation_function = fused(activation);
  options.dilation_w_factor = static_cast<int32_t>(window.dilation_w);
  options.dilation_h_factor = static_cast<int32_t>(window.dilation_h);
  return options;
}

tflite::Pool2DOptionsT pool_options(const Context& c, const Window& window, Activation activation) {
  tflite::Pool2DOptionsT options;
  options.padding = padding(c, window);
  options.stride_w = static_cast<int32_t>(window.stride_w);
  options.stride_h = static_cast<int32_t>(window.stride_h);
  options.filter_width = static_cast<int32_t>(window.kernel_w);
  options.filter_height = static_cast<int32_t>(window.kernel_h);
  options.fused_activation_function = fused(activation);
  return options;
}

template <class Options>
FileOperator made(BuiltinOperator code, int version, Options options,
                  std::vector<ExtraConstant> extras = {}) {
  FileOperator result{.code = code, .version = version, .options = {}, .extras = std::move(extras)};
  result.options.Set(std::move(options));
  return result;
}

FileOperator made(BuiltinOperator code, int version) {
  return {.code = code, .version = version, .options = {}, .extras = {}};
}

template <class T>
ExtraConstant integers(const char* name, const std::vector<T>& values, Shape shape = {}) {
  ExtraConstant result{.name = name, .shape = std::move(shape), .data = {}};
  if (result.shape.empty()) result.shape = {static_cast<int64_t>(values.size())};
  for (const T value : values) {
    const auto narrow = static_cast<int32_t>(value);
    const auto* bytes = reinterpret_cast<const uint8_t*>(&narrow);
    result.data.insert(result.data.end(), bytes, bytes + sizeof narrow);
  }
  return result;
}

FileOperator written(const Conv2D& op, const Context& c) {
  const bool grouped = c.input(1).shape[3] != c.input(0).shape[3];
  return made(BuiltinOperator::CONV_2D, grouped ? 6 : c.version(3),
              convolution_options<tflite::Conv2DOptionsT>(c, op.window, op.activation));
}

FileOperator written(const DepthwiseConv2D& op, const Context& c) {
  auto options = convolution_options<tflite::DepthwiseConv2DOptionsT>(c, op.window, op.activation);
  options.depth_multiplier = static_cast<int32_t>(op.multiplier);
  return made(BuiltinOperator::DEPTHWISE_CONV_2D, c.version(3), options);
}

FileOperator written(const TransposeConv& op, const Context& c) {
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

FileOperator written(const Maximum&, const Context& c) {
  if (c.output().type == DType::kBool)
    return made(BuiltinOperator::LOGICAL_OR, 1, tflite::LogicalOrOptionsT());
  return made(BuiltinOperator::MAXIMUM, c.version(), tflite::MaximumMinimumOptionsT());
}

FileOperator written(const Minimum&, const Context& c) {
  if (c.output().type == DType::kBool)
    return made(BuiltinOperator::LOGICAL_AND, 1, tflite::LogicalAndOptionsT());
  return made(BuiltinOperator::MINIMUM, c.version(), tflite::MaximumMinimumOptionsT());
}

FileOperator written(const Prelu&, const Context&) { return made(BuiltinOperator::PRELU, 1); }

FileOperator written(const Div& op, const Context& c) {
  tflite::DivOptionsT options;
  options.fused_activation_function = fused(op.activation);
  return made(BuiltinOperator::DIV, c.version(), options);
}

FileOperator written(const Comparison& op, const Context& c) {
  const int version = c.input(0).type == DType::kInt8 ? 2 : 1;
  switch (op.relation) {
    case Relation::kEqual:
      return made(BuiltinOperator::EQUAL, version, tflite::EqualOptionsT());
    case Relation::kNotEqual:
      return made(BuiltinOperator::NOT_EQUAL, version, tflite::NotEqualOptionsT());
    case Relation::kGreater:
      return made(BuiltinOperator::GREATER, version, tflite::GreaterOptionsT());
    case Relation::kGreaterEqual:
      return made(BuiltinOperator::GREATER_EQUAL, version, tflite::GreaterEqualOptionsT());
    case Relation::kLess:
      return made(BuiltinOperator::LESS, version, tflite::LessOptionsT());
    case Relation::kLessEqual:
      return made(BuiltinOperator::LESS_EQUAL, version, tflite::LessEqualOptionsT());
  }
  throw InternalError("unknown Relation");
}

FileOperator written(const Select&, const Context&) {
  return made(BuiltinOperator::SELECT_V2, 1, tflite::SelectV2OptionsT());
}

FileOperator written(const Cast&, const Context& c) {
  tflite::CastOptionsT options;
  options.in_data_type = file_type(c.input(0).type);
  options.out_data_type = file_type(c.output().type);
  return made(BuiltinOperator::CAST, 1, options);
}

FileOperator written(const FloorDiv& op, const Context&) {
  return made(op.remainder ? BuiltinOperator::FLOOR_MOD : BuiltinOperator::FLOOR_DIV, 1);
}

FileOperator written(const Gather& op, const Context& c) {
  tflite::GatherOptionsT options;
  options.axis = op.axis;
  options.batch_dims = op.batch_axes;
  return made(BuiltinOperator::GATHER, op.batch_axes == 0 ? c.version() : 5, options);
}

FileOperator written(const UpdateSlice&, const Context&) {
  return made(BuiltinOperator::DYNAMIC_UPDATE_SLICE, 1);
}

FileOperator written(const DetectionPostProcess&, const Context& c) {
  throw CompileError(label(c.op), "a custom operator cannot be written as .tflite");
}

FileOperator written(const ArgMax& op, const Context& c) {
  std::vector<ExtraConstant> axis = {integers("axis", std::vector<int>{op.axis})};
  if (op.least) {
    tflite::ArgMinOptionsT options;
    options.output_type = tflite::TensorType::INT32;
    return made(BuiltinOperator::ARG_MIN, c.version(), options, std::move(axis));
  }
  tflite::ArgMaxOptionsT options;
  options.output_type = tflite::TensorType::INT32;
  return made(BuiltinOperator::ARG_MAX, c.version(), options, std::move(axis));
}

FileOperator written(const CumSum& op, const Context&) {
  tflite::CumsumOptionsT options;
  options.exclusive = op.exclusive;
  options.reverse = op.reverse;
  return made(BuiltinOperator::CUMSUM, 1, options, {integers("axis", std::vector<int>{op.axis})});
}

FileOperator written(const L2Normalization&, const Context& c) {
  return made(BuiltinOperator::L2_NORMALIZATION, c.version(), tflite::L2NormOptionsT());
}

template <class Recurrent>
requires kIsRecurrent<Recurrent> FileOperator written(const Recurrent&, const Context& c) {
  throw CompileError(label(c.op), "networks with a state cannot be written as .tflite");
}

template <class Signal>
requires kIsSignal<Signal> FileOperator written(const Signal&, const Context& c) {
  throw CompileError(label(c.op), "operators of the audio front end cannot be written as .tflite");
}

FileOperator written(const LogSoftmax&, const Context& c) {
  return made(BuiltinOperator::LOG_SOFTMAX, c.version());
}

FileOperator written(const Tanh&, const Context& c) {
  return made(BuiltinOperator::TANH, c.version());
}

FileOperator written(const Elu&, const Context&) { return made(BuiltinOperator::ELU, 1); }

FileOperator written(const HardSwish&, const Context&) {
  return made(BuiltinOperator::HARD_SWISH, 1);
}

FileOperator written(const Abs&, const Context& c) {
  return made(BuiltinOperator::ABS, c.version());
}

FileOperator written(const FullyConnected& op, const Context& c) {
  tflite::FullyConnectedOptionsT options;
  options.fused_activation_function = fused(op.activation);
  options.keep_num_dims = c.output().shape.size() != 2;
  int version = c.version(4);
  if (options.keep_num_dims) version = 5;
  if (c.op.inputs.size() == 2) version = 6;
  return made(BuiltinOperator::FULLY_CONNECTED, version, options);
}

FileOperator written(const BatchMatMul& op, const Context& c) {
  tflite::BatchMatMulOptionsT options;
  options.adj_x = op.adjoint_x;
  options.adj_y = op.adjoint_y;
  return made(BuiltinOperator::BATCH_MATMUL, c.version(), options);
}

FileOperator written(const AveragePool2D& op, const Context& c) {
  return made(BuiltinOperator::AVERAGE_POOL_2D, c.version(),
              pool_options(c, op.window, op.activation));
}

FileOperator reduction(BuiltinOperator code, const std::vector<int>& axes, const Context& c) {
  tflite::ReducerOptionsT options;
  options.keep_dims = c.output().shape.size() == c.input(0).shape.size();
  return made(code, c.version(), options, {integers("axes", axes)});
}

/// REDUCE_MIN of all rows of one column: the format has no windows of it.
FileOperator reduce_min(const MaxPool2D& op, const Context& c) {
  const Shape& x = c.input(0).shape;
  const Window all_rows{.kernel_h = x[1], .padding = {}};
  if (x[2] != 1 || op.window != all_rows || op.activation != Activation::kNone)
    throw CompileError(label(c.op), "the .tflite format has no such operator");
  return reduction(BuiltinOperator::REDUCE_MIN, {1}, c);
}

FileOperator written(const MaxPool2D& op, const Context& c) {
  if (op.least) return reduce_min(op, c);
  return made(BuiltinOperator::MAX_POOL_2D, c.version(), pool_options(c, op.window, op.activation));
}

FileOperator written(const L2Pool2D& op, const Context& c) {
  return made(BuiltinOperator::L2_POOL_2D, 1, pool_options(c, op.window, op.activation));
}

FileOperator written(const Mean& op, const Context& c) {
  return reduction(BuiltinOperator::MEAN, op.axes, c);
}

FileOperator written(const Sum& op, const Context& c) {
  return reduction(BuiltinOperator::SUM, op.axes, c);
}

FileOperator written(const Add& op, const Context& c) {
  tflite::AddOptionsT options;
  options.fused_activation_function = fused(op.activation);
  return made(BuiltinOperator::ADD, c.version(), options);
}

FileOperator written(const Mul& op, const Context& c) {
  tflite::MulOptionsT options;
  options.fused_activation_function = fused(op.activation);
  return made(BuiltinOperator::MUL, c.version(), options);
}

FileOperator written(const Sub& op, const Context& c) {
  tflite::SubOptionsT options;
  options.fused_activation_function = fused(op.activation);
  return made(BuiltinOperator::SUB, c.version(), options);
}

BuiltinOperator code_of(Function function) {
  switch (function) {
    case Function::kCeil:
      return BuiltinOperator::CEIL;
    case Function::kCos:
      return BuiltinOperator::COS;
    case Function::kExp:
      return BuiltinOperator::EXP;
    case Function::kFloor:
      return BuiltinOperator::FLOOR;
    case Function::kLog:
      return BuiltinOperator::LOG;
    case Function::kNeg:
      return BuiltinOperator::NEG;
    case Function::kRound:
      return BuiltinOperator::ROUND;
    case Function::kSin:
      return BuiltinOperator::SIN;
    case Function::kSqrt:
      return BuiltinOperator::SQRT;
    case Function::kSquare:
      return BuiltinOperator::SQUARE;
  }
  throw InternalError("unknown Function");
}

FileOperator written(const Elementwise& op, const Context&) {
  return made(code_of(op.function), 1);
}

FileOperator written(const SquaredDifference&, const Context& c) {
  return made(BuiltinOperator::SQUARED_DIFFERENCE, c.version(),
              tflite::SquaredDifferenceOptionsT());
}

FileOperator written(const Rsqrt&, const Context& c) {
  return made(BuiltinOperator::RSQRT, c.version());
}

FileOperator written(const Gelu& op, const Context& c) {
  tflite::GeluOptionsT options;
  options.approximate = op.approximate;
  return made(BuiltinOperator::GELU, c.version(), options);
}

FileOperator written(const Pad& op, const Context& c) {
  std::vector<int64_t> table;
  for (size_t axis = 0; axis < op.before.size(); ++axis) {
    table.insert(table.end(), {op.before[axis], op.after[axis]});
  }
  std::vector<ExtraConstant> extras = {
      integers("paddings", table, {static_cast<int64_t>(op.before.size()), 2})};
  const std::vector<int32_t>& zero = c.output().quantization.zero_points;
  if (op.value == (zero.empty() ? 0 : zero[0])) {
    return made(BuiltinOperator::PAD, c.version(), tflite::PadOptionsT(), std::move(extras));
  }
  ExtraConstant value{.name = "value", .shape = {1}, .type = c.input(0).type, .data = {}};
  for (int64_t i = 0; i < size_bytes(value.type); ++i) {
    value.data.push_back(static_cast<uint8_t>(int64_t{op.value} >> (8 * i)));
  }
  extras.push_back(std::move(value));
  return made(BuiltinOperator::PADV2, c.version(), tflite::PadV2OptionsT(), std::move(extras));
}

FileOperator written(const Reshape&, const Context& c) {
  tflite::ReshapeOptionsT options;
  for (const int64_t extent : c.output().shape) {
    options.new_shape.push_back(static_cast<int32_t>(extent));
  }
  return made(BuiltinOperator::RESHAPE, 1, std::move(options),
              {integers("shape", c.output().shape)});
}

FileOperator written(const Transpose& op, const Context& c) {
  return made(BuiltinOperator::TRANSPOSE, c.version(), tflite::TransposeOptionsT(),
              {integers("permutation", op.permutation)});
}

FileOperator written(const Softmax& op, const Context& c) {
  tflite::SoftmaxOptionsT options;
  options.beta = op.beta;
  return made(BuiltinOperator::SOFTMAX, c.version(), options);
}

FileOperator written(const Relu& op, const Context& c) {
  if (op.range == Activation::kReluN1To1) return made(BuiltinOperator::RELU_N1_TO_1, 1);
  if (op.range == Activation::kRelu0To1) return made(BuiltinOperator::RELU_0_TO_1, 1);
  return made(BuiltinOperator::RELU, c.version());
}

FileOperator written(const Relu6&, const Context& c) {
  return made(BuiltinOperator::RELU6, c.version());
}

FileOperator written(const LeakyRelu& op, const Context& c) {
  tflite::LeakyReluOptionsT options;
  options.alpha = op.alpha;
  return made(BuiltinOperator::LEAKY_RELU, c.version(), options);
}

FileOperator written(const Logistic&, const Context& c) {
  return made(BuiltinOperator::LOGISTIC, c.version());
}

FileOperator written(const Quantize&, const Context& c) {
  return made(BuiltinOperator::QUANTIZE, c.version(), tflite::QuantizeOptionsT());
}

FileOperator written(const Dequantize&, const Context& c) {
  return made(BuiltinOperator::DEQUANTIZE, c.version(), tflite::DequantizeOptionsT());
}

FileOperator written(const Concat& op, const Context& c) {
  tflite::ConcatenationOptionsT options;
  options.axis = op.axis;
  options.fused_activation_function = fused(op.activation);
  return made(BuiltinOperator::CONCATENATION, c.version(), options);
}

/// Extents along the input's axes; 1 where the output lacks the axis.
Shape slice_extents(const Slice& op, const Context& c) {
  Shape extents;
  size_t next = 0;
  for (size_t axis = 0; axis < op.begin.size(); ++axis) {
    const bool dropped = std::ranges::find(op.dropped, static_cast<int>(axis)) != op.dropped.end();
    extents.push_back(dropped ? 1 : c.output().shape[next++]);
  }
  return extents;
}

FileOperator written(const Slice& op, const Context& c) {
  const Shape extents = slice_extents(op, c);
  const bool plain =
      op.dropped.empty() && std::ranges::all_of(op.stride, [](int64_t s) { return s == 1; });
  if (plain) {
    return made(BuiltinOperator::SLICE, c.version(), tflite::SliceOptionsT(),
                {integers("begin", op.begin), integers("size", extents)});
  }
  tflite::StridedSliceOptionsT options;
  for (const int axis : op.dropped) options.shrink_axis_mask |= 1 << axis;
  std::vector<int64_t> ends;
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    const int64_t step = op.stride[axis];
    ends.push_back(op.begin[axis] + (extents[axis] - 1) * step + (step > 0 ? 1 : -1));
    // -1 would count from the end; the mask says: as far as it goes.
    if (ends.back() < 0) options.end_mask |= 1 << axis;
  }
  return made(BuiltinOperator::STRIDED_SLICE, c.version(), options,
              {integers("begin", op.begin), integers("end", ends), integers("strides", op.stride)});
}

template <class Options, class A>
FileOperator resize(BuiltinOperator code, int version, const A& op, const Context& c) {
  Options options;
  options.align_corners = op.align_corners;
  options.half_pixel_centers = op.half_pixel_centers;
  const Shape& out = c.output().shape;
  return made(code, version, options, {integers("size", std::vector<int64_t>{out[1], out[2]})});
}

FileOperator written(const ResizeNearestNeighbor& op, const Context& c) {
  return resize<tflite::ResizeNearestNeighborOptionsT>(
      BuiltinOperator::RESIZE_NEAREST_NEIGHBOR,
      op.align_corners || op.half_pixel_centers ? 3 : c.version(), op, c);
}

FileOperator written(const ResizeBilinear& op, const Context& c) {
  return resize<tflite::ResizeBilinearOptionsT>(BuiltinOperator::RESIZE_BILINEAR,
                                                op.half_pixel_centers ? 3 : c.version(), op, c);
}

}  // namespace

tflite::TensorType file_type(DType type) {
  switch (type) {
    case DType::kBool:
      return tflite::TensorType::BOOL;
    case DType::kInt8:
      return tflite::TensorType::INT8;
    case DType::kUInt8:
      return tflite::TensorType::UINT8;
    case DType::kInt16:
      return tflite::TensorType::INT16;
    case DType::kInt32:
      return tflite::TensorType::INT32;
    case DType::kUInt32:
      return tflite::TensorType::UINT32;
    case DType::kInt64:
      return tflite::TensorType::INT64;
    case DType::kUInt64:
      return tflite::TensorType::UINT64;
    case DType::kFloat32:
      return tflite::TensorType::FLOAT32;
  }
  throw InternalError("unknown DType");
}

FileOperator file_operator(const Graph& graph, const Op& op) {
  if (op.attributes.arithmetic == Arithmetic::kTfliteUint8) {
    throw CompileError(label(op),
                       "int8 that is computed as uint8 was cannot be written as .tflite");
  }
  const Context context{graph, op};
  return std::visit([&](const auto& attributes) { return written(attributes, context); },
                    op.attributes);
}

}  // namespace thimble
