// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tflite/shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "thimble/import/checked_size.h"
#include "thimble/import/file_limits.h"
#include "thimble/import/refusal.h"
#include "thimble/import/tflite/extents.h"
#include "thimble/import/tflite/kinds.h"
#include "thimble/import/tflite/slices.h"
#include "thimble/import/utf8.h"

namespace thimble {
namespace {

using tfl::BuiltinOperator;

constexpr const char* kShape = "--shape";

[[noreturn]] void refuse_operands(const TfliteOp& op) {
  std::string shapes;
  for (const TensorId id : op.inputs) {
    if (!id.valid()) continue;
    fmt::format_to(std::back_inserter(shapes), "{}{}", shapes.empty() ? "" : ", ",
                   to_string(op.tensors[id.index()].shape));
  }
  op.refuse(fmt::format("does not take shapes {}{}", shapes,
                        op.open_shapes ? ", which follow from --shape" : ""));
}

[[noreturn]] void not_followed(const TfliteOp& op) {
  if (op.open_shapes) op.refuse("is not followed by --shape: convert with fixed input shapes");
  op.refuse(
      "leaves the rank of its output open, which does not follow from its inputs: "
      "convert with fixed input shapes");
}

/// The shape of an input, which must be of rank `rank` at least.
const Shape& shape_of(const TfliteOp& op, size_t input, size_t rank = 0) {
  if (input >= op.inputs.size() || !op.inputs[input].valid() || op.input(input).shape.size() < rank)
    refuse_operands(op);
  return op.input(input).shape;
}

Shape broadcast(const TfliteOp& op, Shape a, Shape b) {
  if (a.size() < b.size()) std::swap(a, b);
  for (size_t k = 1; k <= b.size(); ++k) {
    int64_t& extent = a[a.size() - k];
    const int64_t other = b[b.size() - k];
    if (extent != other && extent != 1 && other != 1) refuse_operands(op);
    if (extent == 1) extent = other;
  }
  return a;
}

Shape broadcast(const TfliteOp& op) { return broadcast(op, shape_of(op, 0), shape_of(op, 1)); }

int64_t windows(const TfliteOp& op, tfl::Padding padding, int64_t extent, int64_t kernel,
                int64_t stride, int64_t dilation) {
  if (stride < 1 || dilation < 1 || kernel < 1 || kernel > std::numeric_limits<int32_t>::max())
    refuse_operands(op);
  const int64_t span = (kernel - 1) * dilation + 1;
  if (padding == tfl::Padding::SAME) return (extent + stride - 1) / stride;
  if (extent < span) refuse_operands(op);
  return (extent - span) / stride + 1;
}

Shape convolved(const TfliteOp& op, size_t channels_axis) {
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

Shape connected(const TfliteOp& op) {
  const auto& o = options<tfl::FullyConnectedOptions>(op);
  Shape x = shape_of(op, 0, 1);
  const Shape& w = shape_of(op, 1, 2);
  if (w[1] < 1 || elements(x) % w[1] != 0) refuse_operands(op);
  if (!o.keep_num_dims) return {elements(x) / w[1], w[0]};
  x.back() = w[0];
  return x;
}

Shape multiplied(const TfliteOp& op) {
  const auto& o = options<tfl::BatchMatMulOptions>(op);
  const Shape &x = shape_of(op, 0, 2), &y = shape_of(op, 1, 2);
  Shape longer = x.size() >= y.size() ? x : y;
  const Shape& shorter = x.size() >= y.size() ? y : x;
  for (size_t k = 3; k <= shorter.size(); ++k)
    longer[longer.size() - k] = std::max(longer[longer.size() - k], shorter[shorter.size() - k]);
  longer[longer.size() - 2] = x[x.size() - (o.adj_x ? 1 : 2)];
  longer.back() = y[y.size() - (o.adj_y ? 2 : 1)];
  return longer;
}

/// The options count where no vector of extents is an input.
const tfl::ReshapeOptions* extents_in_options(const TfliteOp& op) {
  if (op.inputs.size() > 1 && op.input(1).shape.size() == 1) return nullptr;
  const auto* from = options_if_any<tfl::ReshapeOptions>(op);
  return from != nullptr && from->has_shape ? from : nullptr;
}

/// One extent may be -1: what is left. Of options, a single 0 is a scalar's.
Shape reshaped(const TfliteOp& op) {
  Shape shape;
  if (const auto* from = extents_in_options(op)) {
    shape.assign(from->new_shape.begin(), from->new_shape.end());
    if (shape == Shape{0}) shape.clear();
  } else if (op.inputs.size() > 1) {
    shape = integers(op, 1, "new extents");
  }
  const auto open = std::ranges::find(shape, -1);
  if (open == shape.end()) return shape;
  const Shape given = shape;
  *open = 1;
  const bool fits =
      std::ranges::all_of(shape, [](int64_t extent) { return extent >= 1 && extent <= INT32_MAX; });
  const auto rest = fits ? checked_size_bytes(shape, DType::kInt8, INT32_MAX) : std::nullopt;
  if (!rest || elements(op.input(0).shape) % *rest != 0) {
    if (op.open_shapes) refuse_operands(op);
    op.damaged(
        fmt::format("new extents of [{}] for an input of "
                    "shape {}",
                    fmt::join(given, ", "), to_string(op.input(0).shape)));
  }
  *open = elements(op.input(0).shape) / *rest;
  return shape;
}

Shape squeezed(const TfliteOp& op) {
  const Shape& x = shape_of(op, 0);
  std::vector<bool> dropped(x.size());
  const auto* from = options_if_any<tfl::SqueezeOptions>(op);
  if (from != nullptr && !from->squeeze_dims.empty()) {
    for (const int64_t axis : from->squeeze_dims)
      dropped[static_cast<size_t>(axis_of(op, axis, x.size()))] = true;
  } else {
    for (size_t k = 0; k < x.size(); ++k) dropped[k] = x[k] == 1;
  }
  Shape shape;
  for (size_t k = 0; k < x.size(); ++k) {
    if (!dropped[k]) shape.push_back(x[k]);
  }
  return shape;
}

Shape dequantised(const TfliteOp& op) {
  Shape shape = shape_of(op, 0);
  const std::vector<int64_t> axis = integers(op, 1, "axes");
  if (axis.size() != 1) refuse_operands(op);
  shape.insert(shape.begin() + axis_of(op, axis[0], shape.size() + 1), 1);
  return shape;
}

Shape reduced_shape(const TfliteOp& op) {
  const Shape& x = shape_of(op, 0);
  const auto* from = options_if_any<tfl::ReducerOptions>(op);
  const bool keeps = from != nullptr && from->keep_dims;
  std::vector<bool> gone(x.size());
  for (const int64_t axis : integers(op, 1, "axes"))
    gone[static_cast<size_t>(axis_of(op, axis, x.size()))] = true;
  Shape shape;
  for (size_t k = 0; k < x.size(); ++k) {
    if (!gone[k] || keeps) shape.push_back(gone[k] ? 1 : x[k]);
  }
  return shape;
}

Shape concatenated(const TfliteOp& op) {
  const auto& o = options<tfl::AxisOptions>(op);
  Shape shape = shape_of(op, 0);
  const auto axis = static_cast<size_t>(axis_of(op, o.axis, shape.size()));
  for (size_t k = 1; k < op.inputs.size(); ++k) shape[axis] += shape_of(op, k, shape.size())[axis];
  return shape;
}

Shape packed(const TfliteOp& op) {
  Shape shape = shape_of(op, 0);
  const auto& o = options<tfl::AxisOptions>(op);
  shape.insert(shape.begin() + axis_of(op, o.axis, shape.size() + 1), std::ssize(op.inputs));
  return shape;
}

Shape unpacked(const TfliteOp& op) {
  Shape shape = shape_of(op, 0);
  const auto& o = options<tfl::AxisOptions>(op);
  shape.erase(shape.begin() + axis_of(op, o.axis, shape.size()));
  return shape;
}

/// The sizes of the parts: equal ones, or those given, of which one may be -1.
Shape part_shape(const TfliteOp& op, size_t x, size_t axis_input, std::vector<int64_t> sizes) {
  Shape shape = shape_of(op, x, 1);
  const std::vector<int64_t> axes = integers(op, axis_input, "axes");
  if (axes.size() != 1 || op.outputs.empty()) refuse_operands(op);
  const auto axis = static_cast<size_t>(axis_of(op, axes[0], shape.size()));
  if (sizes.empty()) {
    shape[axis] /= std::ssize(op.outputs);
    return shape;
  }
  const auto is_size = [](int64_t size) { return size >= -1 && size <= INT32_MAX; };
  if (sizes.size() != op.outputs.size() || !std::ranges::all_of(sizes, is_size))
    refuse_operands(op);
  int64_t size = sizes[op.output_number];
  if (size == -1) size = shape[axis] - std::accumulate(sizes.begin(), sizes.end(), int64_t{1});
  shape[axis] = size;
  return shape;
}

Shape padded_shape(const TfliteOp& op) {
  Shape shape = shape_of(op, 0);
  const std::vector<int64_t> table = integers(op, 1, "paddings");
  if (table.size() != 2 * shape.size()) refuse_operands(op);
  for (size_t k = 0; k < table.size(); ++k) {
    if (table[k] < 0 || table[k] > INT32_MAX) refuse_operands(op);
    shape[k / 2] += table[k];
  }
  return shape;
}

Shape transposed(const TfliteOp& op) {
  const Shape& x = shape_of(op, 0);
  Shape shape;
  for (const int64_t axis : integers(op, 1, "axes"))
    shape.push_back(x[static_cast<size_t>(axis_of(op, axis, x.size()))]);
  return shape;
}

Shape resized(const TfliteOp& op) {
  Shape shape = shape_of(op, 0, 4);
  const std::vector<int64_t> sizes = integers(op, 1, "sizes");
  if (sizes.size() != 2) refuse_operands(op);
  shape[1] = sizes[0];
  shape[2] = sizes[1];
  return shape;
}

Shape tiled(const TfliteOp& op) {
  Shape shape = shape_of(op, 0);
  const std::vector<int64_t> times = integers(op, 1, "numbers of copies");
  if (times.size() != shape.size()) refuse_operands(op);
  for (size_t k = 0; k < times.size(); ++k) {
    if (times[k] < 1 || times[k] > INT32_MAX) refuse_operands(op);
    shape[k] *= times[k];
  }
  return shape;
}

Shape gathered(const TfliteOp& op) {
  const auto& o = options<tfl::GatherOptions>(op);
  const Shape &x = shape_of(op, 0, 1), &indices = shape_of(op, 1);
  const auto axis = axis_of(op, o.axis, x.size());
  const int64_t batch = o.batch_dims < 0 ? o.batch_dims + std::ssize(indices) : o.batch_dims;
  if (batch < 0 || batch > std::ssize(indices) || batch > axis) refuse_operands(op);
  Shape shape(x.begin(), x.begin() + axis);
  shape.insert(shape.end(), indices.begin() + batch, indices.end());
  shape.insert(shape.end(), x.begin() + axis + 1, x.end());
  return shape;
}

/// A position of several indices each.
Shape gathered_by_tuples(const TfliteOp& op) {
  const Shape &x = shape_of(op, 0, 1), &indices = shape_of(op, 1, 1);
  if (indices.back() > std::ssize(x)) refuse_operands(op);
  Shape shape(indices.begin(), indices.end() - 1);
  shape.insert(shape.end(), x.begin() + indices.back(), x.end());
  return shape;
}

Shape without_axis(const TfliteOp& op) {
  Shape shape = shape_of(op, 0, 1);
  const std::vector<int64_t> axes = integers(op, 1, "axes");
  if (axes.size() != 1) refuse_operands(op);
  shape.erase(shape.begin() + axis_of(op, axes[0], shape.size()));
  return shape;
}

Shape looked_up(const TfliteOp& op) {
  Shape shape = shape_of(op, 1, 2);
  shape[0] = shape_of(op, 0, 1)[0];
  return shape;
}

/// height and width times (or by) the block, channels by (or times) its square.
Shape in_blocks(const TfliteOp& op, int64_t block, bool to_depth) {
  Shape shape = shape_of(op, 0, 4);
  if (block < 1 || block > 32768) refuse_operands(op);
  const auto scaled = [&](int64_t extent, bool down) {
    return down ? extent / block : extent * block;
  };
  for (const size_t axis : {1, 2}) shape[axis] = scaled(shape[axis], to_depth);
  for (int twice = 0; twice < 2; ++twice) shape[3] = scaled(shape[3], !to_depth);
  return shape;
}

Shape shape_made(const TfliteOp& op, BuiltinOperator code) {
  switch (code) {
    case BuiltinOperator::ADD:
    case BuiltinOperator::SUB:
    case BuiltinOperator::MUL:
    case BuiltinOperator::DIV:
    case BuiltinOperator::FLOOR_DIV:
    case BuiltinOperator::FLOOR_MOD:
    case BuiltinOperator::MAXIMUM:
    case BuiltinOperator::MINIMUM:
    case BuiltinOperator::SQUARED_DIFFERENCE:
    case BuiltinOperator::PRELU:
    case BuiltinOperator::EQUAL:
    case BuiltinOperator::NOT_EQUAL:
    case BuiltinOperator::LESS:
    case BuiltinOperator::LESS_EQUAL:
    case BuiltinOperator::GREATER:
    case BuiltinOperator::GREATER_EQUAL:
    case BuiltinOperator::LOGICAL_AND:
    case BuiltinOperator::LOGICAL_OR:
      return broadcast(op);
    case BuiltinOperator::CONV_2D:
      return convolved(op, 0);
    case BuiltinOperator::DEPTHWISE_CONV_2D:
      return convolved(op, 3);
    case BuiltinOperator::AVERAGE_POOL_2D:
    case BuiltinOperator::MAX_POOL_2D:
    case BuiltinOperator::L2_POOL_2D:
      return pooled(op);
    case BuiltinOperator::FULLY_CONNECTED:
      return connected(op);
    case BuiltinOperator::BATCH_MATMUL:
      return multiplied(op);
    case BuiltinOperator::TRANSPOSE_CONV:
      if (!op.input(0).is_constant()) not_followed(op);
      return integers(op, 0, "output extents");
    case BuiltinOperator::RESHAPE:
      return reshaped(op);
    case BuiltinOperator::SQUEEZE:
      return squeezed(op);
    case BuiltinOperator::EXPAND_DIMS:
      return dequantised(op);
    case BuiltinOperator::MEAN:
    case BuiltinOperator::SUM:
    case BuiltinOperator::REDUCE_ALL:
    case BuiltinOperator::REDUCE_ANY:
    case BuiltinOperator::REDUCE_MAX:
    case BuiltinOperator::REDUCE_MIN:
    case BuiltinOperator::REDUCE_PROD:
      return reduced_shape(op);
    case BuiltinOperator::CONCATENATION:
      return concatenated(op);
    case BuiltinOperator::PACK:
      return packed(op);
    case BuiltinOperator::UNPACK:
      return unpacked(op);
    case BuiltinOperator::SPLIT:
      return part_shape(op, 1, 0, {});
    case BuiltinOperator::SPLIT_V:
      return part_shape(op, 0, 2, integers(op, 1, "sizes"));
    case BuiltinOperator::SLICE:
      return slice_extents(op);
    case BuiltinOperator::STRIDED_SLICE:
      return strided_slice_extents(op);
    case BuiltinOperator::PAD:
    case BuiltinOperator::PADV2:
    case BuiltinOperator::MIRROR_PAD:
      return padded_shape(op);
    case BuiltinOperator::TRANSPOSE:
      return transposed(op);
    case BuiltinOperator::RESIZE_BILINEAR:
    case BuiltinOperator::RESIZE_NEAREST_NEIGHBOR:
      return resized(op);
    case BuiltinOperator::TILE:
      return tiled(op);
    case BuiltinOperator::BROADCAST_TO:
      return integers(op, 1, "extents");
    case BuiltinOperator::FILL:
      return integers(op, 0, "extents");
    case BuiltinOperator::DEPTH_TO_SPACE:
      return in_blocks(op, options<tfl::BlockOptions>(op).block_size, false);
    case BuiltinOperator::SPACE_TO_DEPTH:
      return in_blocks(op, options<tfl::BlockOptions>(op).block_size, true);
    case BuiltinOperator::SHAPE:
      return {std::ssize(shape_of(op, 0))};
    case BuiltinOperator::RANK:
      return {};
    case BuiltinOperator::GATHER:
      return gathered(op);
    case BuiltinOperator::GATHER_ND:
      return gathered_by_tuples(op);
    case BuiltinOperator::EMBEDDING_LOOKUP:
      return looked_up(op);
    case BuiltinOperator::ARG_MAX:
    case BuiltinOperator::ARG_MIN:
      return without_axis(op);
    case BuiltinOperator::SELECT_V2:
      return broadcast(op, broadcast(op), shape_of(op, 2));
    case BuiltinOperator::BROADCAST_ARGS:
      return {std::max(elements(shape_of(op, 0)), elements(shape_of(op, 1)))};
    case BuiltinOperator::BATCH_TO_SPACE_ND:
    case BuiltinOperator::SPACE_TO_BATCH_ND:
    case BuiltinOperator::SVDF:
    case BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM:
    case BuiltinOperator::CUSTOM:
      not_followed(op);
    default:
      return shape_of(op, 0);  // element by element
  }
}

void set_input(const TfliteFile& file, const Section& section, const NamedShape& given,
               std::vector<Tensor>& tensors) {
  for (const TensorId id : section.inputs) {
    if (!id.valid()) continue;
    Tensor& tensor = tensors[id.index()];
    if (tensor.name != given.input && !(given.input.empty() && section.inputs.size() == 1))
      continue;
    if (tensor.shape.size() != given.shape.size()) {
      throw ImportError(
          kShape, fmt::format("input '{}' has {} axes, not {} ({})", tensor.name,
                              tensor.shape.size(), given.shape.size(), to_string(given.shape)));
    }
    if (!checked_size_bytes(given.shape, tensor.type, kMaxTensorBytes)) {
      throw ImportError(kShape, fmt::format("{} takes more than {} bytes", to_string(given.shape),
                                            kMaxTensorBytes));
    }
    tensor.shape = given.shape;
    return;
  }
  std::vector<std::string> names;
  for (const TensorId id : section.inputs)
    if (id.valid()) names.push_back(tensors[id.index()].name);
  throw ImportError(kShape, fmt::format("{} has no input '{}'; it has '{}'", file.where(),
                                        printable(given.input), fmt::join(names, "', '")));
}

/// Parameters that the output's shape repeats, and nothing else asks for.
bool repeats_parameters(const TfliteOp& op, BuiltinOperator code) {
  switch (code) {
    case BuiltinOperator::BROADCAST_TO:
    case BuiltinOperator::EXPAND_DIMS:
    case BuiltinOperator::SPLIT:
    case BuiltinOperator::SPLIT_V:
    case BuiltinOperator::SQUEEZE:
      return true;
    case BuiltinOperator::RESHAPE:  // some have none
      return op.inputs.size() > 1 || extents_in_options(op) != nullptr;
    default:
      return false;
  }
}

/// Per tensor, whether the file says nothing of its shape. Files of old converters do not say that
/// one is a scalar, either: what follows then is a scalar, too.
std::vector<bool> open_ranks(const TfliteFile& file, const std::vector<Tensor>& tensors) {
  std::vector<bool> open(tensors.size());
  for (size_t t = 0; t < file.tensor_count(); ++t) {
    const tfl::TensorRecord from = file.tensor(t);
    open[t] = from.shape.empty() && !from.has_rank && !tensors[t].is_constant();
  }
  return open;
}

/// Sets the shape of output `op.output_number`.
void set_output(const TfliteOp& op, BuiltinOperator code, Tensor& out) {
  Shape shape = shape_made(op, code);
  const bool fits = std::ranges::all_of(shape, [](int64_t extent) { return extent >= 1; }) &&
                    shape.size() <= kMaxRank &&
                    checked_size_bytes(shape, out.type, kMaxTensorBytes);
  if (!fits || out.is_constant()) refuse_operands(op);
  out.shape = std::move(shape);
}

/// Sizes on the way to what has to follow. What is wrong with an operator is said where it is read.
void fold_sizes(const OperatorKind& kind, const TfliteOp& op, std::vector<Tensor>& tensors) {
  try {
    check_operands(kind, op);
    (void)fold_extents(op, kind.code, tensors);
  } catch (const CompileError&) {
  }
}

}  // namespace

void check_repeated_shapes(TfliteOp op, BuiltinOperator code) {
  if (!repeats_parameters(op, code)) return;
  for (op.output_number = 0; op.output_number < op.outputs.size(); ++op.output_number) {
    const Shape follows = shape_made(op, code);
    if (follows == op.output().shape) continue;
    op.damaged(
        fmt::format("its parameters make shape {}, and its output "
                    "has shape {}",
                    to_string(follows), to_string(op.output().shape)));
  }
}

void infer_shapes(const TfliteFile& file, const Section& section,
                  const std::vector<NamedShape>& shapes, std::vector<Tensor>& tensors,
                  std::vector<std::string>* unknown) {
  const std::vector<bool> open = open_ranks(file, tensors);
  if (shapes.empty() && std::ranges::find(open, true) == open.end()) return;
  for (const NamedShape& shape : shapes) set_input(file, section, shape, tensors);
  for (const size_t i : section.ops) {
    const NamedKind kind = kind_of(file, i);
    TfliteOp op = read_operands(file, i, kind.name, tensors);
    if (kind.kind == nullptr) continue;  // refused where operators are read
    const bool by_handle = kind.kind->is_by_handle();
    if (by_handle && !shapes.empty()) not_followed(op);
    const auto is_open = [&](TensorId id) { return id.valid() && open[id.index()]; };
    if (by_handle || (shapes.empty() && std::ranges::none_of(op.outputs, is_open))) {
      if (!by_handle) fold_sizes(*kind.kind, op, tensors);
      continue;
    }
    check_operands(*kind.kind, op);
    for (size_t k = 0; k < op.outputs.size(); ++k) {
      const size_t output = op.outputs[k].index();
      if (shapes.empty() && (!open[output] || kind.kind->custom != nullptr)) continue;
      op.output_number = k;
      try {
        set_output(op, kind.kind->code, tensors[output]);
      } catch (const CompileError& error) {
        if (unknown == nullptr || !shapes.empty()) throw;
        (*unknown)[output] = error.what();
      }
    }
    (void)fold_extents(op, kind.kind->code, tensors);
  }
}

}  // namespace thimble
