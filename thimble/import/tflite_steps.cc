// SPDX-License-Identifier: Apache-2.0
// Operators of a .tflite file that are several of ours, or one with other constants.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

#include "thimble/import/tflite_parts.h"
#include "thimble/model/dequantised.h"

namespace thimble {
namespace {

/// More parts than this are not taken: kernels are called once for each.
constexpr size_t kMostParts = 1024;

[[noreturn]] void refuse_shapes(const FileOp& op, const std::string& parameters) {
  throw CompileError(
      op.where,
      fmt::format("is damaged: an input of shape {} and an output of shape {} with {}",
                  to_string(op.input(0).shape), to_string(op.output().shape), parameters));
}

void expect_shape(const FileOp& op, const Shape& shape, const std::string& parameters) {
  if (shape != op.output().shape) refuse_shapes(op, parameters);
}

Slice whole_slice(const Shape& shape) {
  return {std::vector<int64_t>(shape.size(), 0), std::vector<int64_t>(shape.size(), 1), {}};
}

/// A tensor on the way from the input to the output.
struct Moved {
  TensorId tensor;
  Shape shape;
};

/// `count` indices of the axis from `begin` on.
Moved sliced(Steps& steps, const Moved& from, size_t axis, int64_t begin, int64_t stride,
             int64_t count) {
  Slice slice = whole_slice(from.shape);
  slice.begin[axis] = begin;
  slice.stride[axis] = count == 1 ? 1 : stride;  // as files are read, too
  Shape shape = from.shape;
  shape[axis] = count;
  return {steps.make(std::move(slice), {from.tensor}, shape), shape};
}

Moved joined(Steps& steps, const std::vector<Moved>& parts, size_t axis) {
  if (parts.size() == 1) return parts[0];
  Shape shape = parts[0].shape;
  std::vector<TensorId> inputs;
  shape[axis] = 0;
  for (const Moved& part : parts) {
    shape[axis] += part.shape[axis];
    inputs.push_back(part.tensor);
  }
  return {steps.make(Concat{.axis = static_cast<int>(axis)}, inputs, shape), shape};
}

/// Reshaped, its axes in another order, and reshaped to `last`, which is the output's if it is all.
Moved rearranged(Steps& steps, const Moved& from, const Shape& apart, const std::vector<int>& order,
                 const Shape& last) {
  Shape turned;
  for (const int axis : order) turned.push_back(apart[static_cast<size_t>(axis)]);
  const TensorId a = steps.make(Reshape{}, {from.tensor}, apart);
  const TensorId b = steps.make(Transpose{order}, {a}, turned);
  return {steps.make(Reshape{}, {b}, last), last};
}

/// The last step, for what may be nothing at all.
void finish_with(Steps& steps, const Moved& moved) { steps.finish(Reshape{}, {moved.tensor}); }

Moved input_of(const FileOp& op) { return {op.inputs[0], op.input(0).shape}; }

template <class Options>
int64_t block_of(const FileOp& op, const Options* from, bool divides) {
  const int64_t block = options(op, from).block_size();
  const Shape& x = op.input(0).shape;
  if (x.size() != 4 || block < 1) {
    throw CompileError(op.where,
                       fmt::format("blocks of {} of shape {} are not supported; supported "
                                   "are blocks of at least 1 of 4 axes (NHWC)",
                                   block, to_string(x)));
  }
  const bool fits = divides ? x[1] % block == 0 && x[2] % block == 0
                            : block <= 32768 && x[3] % (block * block) == 0;
  if (!fits) refuse_shapes(op, fmt::format("blocks of {}", block));
  return block;
}

/// Numbers per axis of the blocks, which are those behind the batch: height, or height and width.
struct Blocks {
  std::vector<int64_t> size, before, after;
};

Blocks blocks_of(const FileOp& op) {
  Blocks b{integers(op, 1, "block sizes"), {}, {}};
  const std::vector<int64_t> table = integers(op, 2, "paddings or crops");
  const size_t rank = op.input(0).shape.size();
  const bool fits = (rank == 3 || rank == 4) && b.size.size() == rank - 2 &&
                    table.size() == 2 * b.size.size() &&
                    std::ranges::all_of(b.size, [](int64_t n) { return n >= 1 && n <= 65535; }) &&
                    std::ranges::all_of(table, [](int64_t n) { return n >= 0 && n <= 65535; });
  if (!fits) {
    throw CompileError(
        op.where,
        fmt::format("blocks of [{}] with paddings or crops of [{}] of shape {} are "
                    "not supported; supported are 1 to 65535 along height (and "
                    "width) of 3 (or 4) axes",
                    fmt::join(b.size, ", "), fmt::join(table, ", "), to_string(op.input(0).shape)));
  }
  for (size_t k = 0; k < table.size(); k += 2) {
    b.before.push_back(table[k]);
    b.after.push_back(table[k + 1]);
  }
  return b;
}

}  // namespace

TensorId Steps::make(Attributes attributes, std::vector<TensorId> inputs, Shape shape) {
  const Tensor& out = op_.output();
  return make_as(std::move(attributes), std::move(inputs),
                 Tensor{.name = "",
                        .shape = std::move(shape),
                        .type = out.type,
                        .quantization = out.quantization,
                        .data = nullptr});
}

TensorId Steps::make_as(Attributes attributes, std::vector<TensorId> inputs, Tensor tensor) {
  tensor.name = fmt::format("{}/{}", op_.output().name, ops_.size());
  const TensorId made = add(std::move(tensor));
  ops_.push_back({std::move(attributes), std::move(inputs), {made}, -1});
  return made;
}

TensorId Steps::add(Tensor tensor) {
  tensors_.push_back(std::move(tensor));
  return {static_cast<int32_t>(tensors_.size()) - 1};
}

void Steps::keep(TensorId old_value, TensorId new_value, Bytes initial) {
  const Tensor& tensor = tensors_[old_value.index()];
  if (initial.empty()) {
    const std::vector<int32_t>& zeros = tensor.quantization.zero_points;
    const bool one_byte = tensor.type == DType::kInt8 && !zeros.empty();
    initial.assign(static_cast<size_t>(tensor.size_bytes()),
                   static_cast<uint8_t>(one_byte ? zeros[0] : 0));
  }
  states_.push_back({old_value, new_value, std::make_shared<const Bytes>(std::move(initial))});
}

void Steps::finish_output(size_t number, Attributes attributes, std::vector<TensorId> inputs) {
  ops_.push_back({std::move(attributes), std::move(inputs), {op_.outputs[number]}, -1});
}

void Steps::finish(Attributes attributes, std::vector<TensorId> inputs) {
  ops_.push_back({std::move(attributes), std::move(inputs), {op_.outputs[op_.output_number]}, -1});
}

void dequantize(const FileOp& op, Steps& steps) {
  const Tensor& x = op.input(0);
  Tensor& out = steps.tensor(op.outputs[0]);
  const bool is_float = x.type == DType::kFloat32;  // once float16
  const bool is_quantised =
      (x.type == DType::kInt8 || x.type == DType::kInt16) && !x.quantization.scales.empty();
  if (!x.is_constant() || out.is_constant() || out.type != DType::kFloat32 ||
      out.shape != x.shape || !(is_float || is_quantised))
    return steps.finish(Dequantize{}, {op.inputs[0]});
  out.data = is_float ? x.data : dequantised(x).data;
}

void prelu(const FileOp& op, Steps& steps) {
  Tensor& alpha = steps.tensor(op.inputs[1]);
  if (op.input(0).type == DType::kInt16 && alpha.type == DType::kInt8 && alpha.is_constant()) {
    Bytes wide;
    for (const uint8_t byte : *alpha.data) {
      wide.push_back(byte);
      wide.push_back(byte < 0x80 ? 0 : 0xff);
    }
    alpha.type = DType::kInt16;  // once for all readers, which have to agree
    alpha.data = std::make_shared<const Bytes>(std::move(wide));
  }
  steps.finish(Prelu{}, {op.inputs[0], op.inputs[1]});
}

void only_extents(const FileOp& op, Steps&) {
  throw CompileError(op.where,
                     "its values are not known when compiling, which is not supported; supported "
                     "is what follows from shapes and a few constant integers");
}

void pack(const FileOp& op, Steps& steps) {
  const auto& from = options(op, op.op.builtin_options_as_PackOptions());
  const int axis = axis_of(op, from.axis(), op.output().shape.size());
  std::vector<TensorId> parts;
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    Shape shape = op.input(k).shape;
    if (shape.size() + 1 != op.output().shape.size()) refuse_shapes(op, "an axis more");
    shape.insert(shape.begin() + axis, 1);
    parts.push_back(steps.make(Reshape{}, {op.inputs[k]}, shape));
  }
  steps.finish(Concat{.axis = axis}, parts);
}

namespace {

/// Slices of runs of positions, joined along the axis.
Moved gathered(const FileOp& op, Steps& steps, const Moved& x, size_t axis,
               const std::vector<int64_t>& positions) {
  std::vector<Moved> parts;
  for (size_t k = 0; k < positions.size();) {
    const int64_t begin = positions[k];
    const int64_t stride = k + 1 < positions.size() ? positions[k + 1] - begin : 1;
    size_t end = k + 1;
    while (stride != 0 && end < positions.size() && positions[end] - positions[end - 1] == stride)
      ++end;
    const int64_t last = positions[end - 1];
    if (std::min(begin, last) < 0 || std::max(begin, last) >= x.shape[axis]) {
      throw CompileError(op.where, fmt::format("is damaged: it gathers [{}] of {} indices",
                                               fmt::join(positions, ", "), x.shape[axis]));
    }
    if (parts.size() == kMostParts) {
      throw CompileError(op.where, fmt::format("its {} positions are more than {} runs, which are "
                                               "not supported",
                                               positions.size(), kMostParts));
    }
    parts.push_back(
        sliced(steps, x, axis, begin, stride == 0 ? 1 : stride, static_cast<int64_t>(end - k)));
    k = end;
  }
  if (parts.empty()) refuse_shapes(op, "no positions");
  return joined(steps, parts, axis);
}

int64_t product(std::span<const int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies<>());
}

/// Gathers in batches: the positions of each count from its first index, all batches are one axis.
Moved gathered_of_batches(const FileOp& op, Steps& steps, size_t axis, size_t batch_axes,
                          std::vector<int64_t> positions) {
  const Moved x = input_of(op);
  const std::span<const int64_t> extents(x.shape);
  const int64_t batches = product(extents.first(batch_axes)), count = x.shape[axis];
  const int64_t outer = product(extents.subspan(batch_axes, axis - batch_axes));
  const int64_t inner = product(extents.subspan(axis + 1));
  if (static_cast<int64_t>(positions.size()) % batches != 0) refuse_shapes(op, "other positions");
  const int64_t each = static_cast<int64_t>(positions.size()) / batches;
  for (size_t k = 0; k < positions.size(); ++k) {
    if (positions[k] < 0 || positions[k] >= count) refuse_shapes(op, "positions beyond the axis");
    positions[k] += static_cast<int64_t>(k) / each * count;
  }
  const std::vector<int> axis_before_outer = {0, 2, 1, 3};
  const Moved flat = rearranged(steps, x, {batches, outer, count, inner}, axis_before_outer,
                                {batches * count, outer * inner});
  const Moved found = gathered(op, steps, flat, 0, positions);
  return rearranged(steps, found, {batches, each, outer, inner}, axis_before_outer,
                    {batches, outer, each, inner});
}

}  // namespace

void gather(const FileOp& op, Steps& steps) {
  const auto& from = options(op, op.op.builtin_options_as_GatherOptions());
  const Shape &x = op.input(0).shape, &indices = op.input(1).shape;
  const auto axis = static_cast<size_t>(axis_of(op, from.axis(), x.size()));
  const int64_t given = from.batch_dims();
  const auto rank = static_cast<int64_t>(indices.size());
  const auto batch_axes = static_cast<size_t>(given < 0 ? given + rank : given);
  if (given < -rank || given > rank || batch_axes > axis ||
      !std::equal(x.begin(), x.begin() + static_cast<int64_t>(batch_axes), indices.begin())) {
    refuse_shapes(op, fmt::format("{} batch axes", given));
  }
  if (!op.input(1).is_constant()) {
    return gather_at_run_time(
        op, steps, {.axis = static_cast<int>(axis), .batch_axes = static_cast<int>(batch_axes)});
  }
  const std::vector<int64_t> positions = integers(op, 1, "positions");
  Shape shape = x;
  shape.erase(shape.begin() + static_cast<int64_t>(axis));
  shape.insert(shape.begin() + static_cast<int64_t>(axis),
               indices.begin() + static_cast<int64_t>(batch_axes), indices.end());
  expect_shape(op, shape,
               fmt::format("positions [{}] of axis {}", fmt::join(positions, ", "), axis));
  finish_with(steps, batch_axes == 0 ? gathered(op, steps, input_of(op), axis, positions)
                                     : gathered_of_batches(op, steps, axis, batch_axes, positions));
}

/// Positions along the first axes, taken as one.
void gather_nd(const FileOp& op, Steps& steps) {
  const Shape x = op.input(0).shape, indices = op.input(1).shape;
  const auto depth = indices.empty() ? 0 : static_cast<size_t>(indices.back());
  if (depth < 1 || depth > x.size()) refuse_shapes(op, "positions of other axes");
  if (!op.input(1).is_constant()) return gather_nd_at_run_time(op, steps, depth);
  const std::vector<int64_t> table = integers(op, 1, "positions");
  const auto begin = x.begin() + static_cast<int64_t>(depth);
  Shape flat{product(std::span<const int64_t>(x).first(depth))}, shape = indices;
  flat.insert(flat.end(), begin, x.end());
  shape.pop_back();
  shape.insert(shape.end(), begin, x.end());
  expect_shape(op, shape, "other positions");
  std::vector<int64_t> positions;
  for (size_t k = 0; k < table.size(); k += depth) {
    int64_t position = 0;
    for (size_t axis = 0; axis < depth; ++axis) {
      const int64_t index = table[k + axis];
      if (index < 0 || index >= x[axis]) refuse_shapes(op, "positions beyond an axis");
      position = position * x[axis] + index;
    }
    positions.push_back(position);
  }
  const Moved rows{steps.make(Reshape{}, {op.inputs[0]}, flat), flat};
  finish_with(steps, gathered(op, steps, rows, 0, positions));
}

void depth_to_space(const FileOp& op, Steps& steps) {
  const int64_t b = block_of(op, op.op.builtin_options_as_DepthToSpaceOptions(), false);
  const Moved x = input_of(op);
  const Shape& s = x.shape;
  const int64_t channels = s[3] / (b * b);
  const Shape shape{s[0], s[1] * b, s[2] * b, channels};
  expect_shape(op, shape, fmt::format("blocks of {}", b));
  finish_with(steps,
              rearranged(steps, x, {s[0], s[1], s[2], b, b, channels}, {0, 1, 3, 2, 4, 5}, shape));
}

void space_to_depth(const FileOp& op, Steps& steps) {
  const int64_t b = block_of(op, op.op.builtin_options_as_SpaceToDepthOptions(), true);
  const Moved x = input_of(op);
  const Shape& s = x.shape;
  const Shape shape{s[0], s[1] / b, s[2] / b, s[3] * b * b};
  expect_shape(op, shape, fmt::format("blocks of {}", b));
  finish_with(steps, rearranged(steps, x, {s[0], s[1] / b, b, s[2] / b, b, s[3]},
                                {0, 1, 3, 2, 4, 5}, shape));
}

/// Batch number (row in the block, column in the block, image).
void batch_to_space(const FileOp& op, Steps& steps) {
  const Blocks b = blocks_of(op);
  Moved x = input_of(op);
  const int64_t wide = b.size.size() > 1 ? b.size[1] : 1;
  const int64_t batch = x.shape[0] / (b.size[0] * wide);
  if (batch * b.size[0] * wide != x.shape[0]) refuse_shapes(op, "other blocks");
  Shape apart = b.size, last = x.shape;
  apart.insert(apart.end(), x.shape.begin(), x.shape.end());
  apart[b.size.size()] = batch;
  last[0] = batch;
  for (size_t k = 0; k < b.size.size(); ++k) last[k + 1] *= b.size[k];
  x = rearranged(
      steps, x, apart,
      b.size.size() > 1 ? std::vector<int>{2, 3, 0, 4, 1, 5} : std::vector<int>{1, 2, 0, 3}, last);
  for (size_t k = 0; k < b.size.size(); ++k) {
    const int64_t count = x.shape[k + 1] - b.before[k] - b.after[k];
    if (count < 1) refuse_shapes(op, "crops of all of it");
    if (count != x.shape[k + 1]) x = sliced(steps, x, k + 1, b.before[k], 1, count);
  }
  expect_shape(op, x.shape, "other blocks or crops");
  finish_with(steps, x);
}

void space_to_batch(const FileOp& op, Steps& steps) {
  const Blocks b = blocks_of(op);
  Moved x = input_of(op);
  Pad pad{std::vector<int64_t>(x.shape.size(), 0), std::vector<int64_t>(x.shape.size(), 0), 0};
  const Quantization& q = op.output().quantization;
  if (!q.zero_points.empty()) pad.value = q.zero_points[0];
  Shape last = x.shape, apart{x.shape[0]};
  for (size_t k = 0; k < b.size.size(); ++k) {
    pad.before[k + 1] = b.before[k];
    pad.after[k + 1] = b.after[k];
    x.shape[k + 1] += b.before[k] + b.after[k];
    if (x.shape[k + 1] % b.size[k] != 0) refuse_shapes(op, "other blocks");
    apart.insert(apart.end(), {x.shape[k + 1] / b.size[k], b.size[k]});
    last[0] *= b.size[k];
    last[k + 1] = x.shape[k + 1] / b.size[k];
  }
  apart.push_back(x.shape.back());
  expect_shape(op, last, "other blocks or paddings");
  const bool padded = x.shape != op.input(0).shape;
  if (padded) x.tensor = steps.make(pad, {x.tensor}, x.shape);
  finish_with(steps, rearranged(steps, x, apart,
                                b.size.size() > 1 ? std::vector<int>{2, 4, 0, 1, 3, 5}
                                                  : std::vector<int>{2, 0, 1, 3},
                                last));
}

void mirror_pad(const FileOp& op, Steps& steps) {
  const auto& from = options(op, op.op.builtin_options_as_MirrorPadOptions());
  const int64_t edge = from.mode() == tflite::MirrorPadMode::REFLECT ? 1 : 0;  // not repeated
  const std::vector<int64_t> table = integers(op, 1, "paddings");
  Moved x = input_of(op);
  const std::string given = fmt::format("paddings [{}]", fmt::join(table, ", "));
  if (table.size() != 2 * x.shape.size()) refuse_shapes(op, given);
  for (size_t axis = 0; axis < x.shape.size(); ++axis) {
    const int64_t before = table[2 * axis], after = table[2 * axis + 1], extent = x.shape[axis];
    if (std::min(before, after) < 0 || std::max(before, after) > extent - edge)
      refuse_shapes(op, given);
    std::vector<Moved> parts{x};
    if (before > 0)
      parts.insert(parts.begin(), sliced(steps, x, axis, before - 1 + edge, -1, before));
    if (after > 0) parts.push_back(sliced(steps, x, axis, extent - 1 - edge, -1, after));
    x = joined(steps, parts, axis);
  }
  expect_shape(op, x.shape, given);
  finish_with(steps, x);
}

namespace {

/// The sum so far and the next input, one after the other.
void add_one_by_one(const FileOp& op, Steps& steps) {
  if (op.inputs.size() == 1) return steps.finish(Reshape{}, {op.inputs[0]});
  const Shape shape = op.output().shape;
  TensorId sum = op.inputs[0];
  for (size_t k = 1; k + 1 < op.inputs.size(); ++k)
    sum = steps.make(Add{}, {sum, op.inputs[k]}, shape);
  steps.finish(Add{}, {sum, op.inputs.back()});
}

/// Each widened to int32 of one scale, in which they are added.
void add_widened(const FileOp& op, Steps& steps) {
  constexpr double kWidening = 0x1p19;
  const Tensor first = op.input(0);
  const auto scale =
      static_cast<float>(static_cast<double>(first.quantization.scales[0]) / kWidening);
  // The original begins with what a raw 0 stands for.
  const auto begin = static_cast<int32_t>(-kWidening * first.quantization.zero_points[0]);
  TensorId sum;
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    const TensorId wide = steps.make(Quantize{}, {op.inputs[k]}, first.shape);
    steps.tensor(wide).type = DType::kInt32;
    steps.tensor(wide).quantization = {{scale}, {k == 0 ? begin : 0}, 0};
    if (k == 0) {
      sum = wide;
      continue;
    }
    sum = steps.make(Add{}, {sum, wide}, first.shape);
    steps.tensor(sum).type = DType::kInt32;
    steps.tensor(sum).quantization = {{scale}, {0}, 0};
  }
  steps.finish(Quantize{}, {sum});
}

}  // namespace

void add_n(const FileOp& op, Steps& steps) {
  const Tensor first = op.input(0);
  const bool has_scale =
      first.quantization.scales.size() == 1 && first.quantization.zero_points.size() == 1;
  const bool is_float = first.type == DType::kFloat32;
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    const Tensor& x = op.input(k);
    const bool fits = is_float || (first.type == DType::kInt8 && has_scale &&
                                   x.quantization == first.quantization);
    if (fits && x.type == first.type && x.shape == first.shape) continue;
    throw CompileError(
        op.where,
        fmt::format("inputs {} {} and {} {} are not supported; supported are float32, or int8 of "
                    "one scale and one zero point, of one shape",
                    name(first.type), to_string(first.shape), name(x.type), to_string(x.shape)));
  }
  if (is_float) return add_one_by_one(op, steps);
  add_widened(op, steps);
}

namespace {

void repeat(const FileOp& op, Steps& steps, Moved x, const std::vector<int64_t>& times) {
  for (size_t axis = 0; axis < times.size(); ++axis) {
    if (times[axis] < 1 || times[axis] > static_cast<int64_t>(kMostParts)) {
      throw CompileError(op.where,
                         fmt::format("{} copies along axis {} are not supported; supported "
                                     "are 1 to {}",
                                     times[axis], axis, kMostParts));
    }
    x = joined(steps, std::vector<Moved>(static_cast<size_t>(times[axis]), x), axis);
  }
  expect_shape(op, x.shape, fmt::format("copies of [{}]", fmt::join(times, ", ")));
  finish_with(steps, x);
}

}  // namespace

void broadcast_to(const FileOp& op, Steps& steps) {
  (void)integers(op, 1, "extents");     // the output's shape repeats them
  const Shape out = op.output().shape;  // steps make tensors: no references into them
  Moved x = input_of(op);
  if (x.shape.size() > out.size()) refuse_shapes(op, "more axes");
  if (x.shape.size() < out.size()) {
    x.shape.insert(x.shape.begin(), out.size() - x.shape.size(), 1);
    x.tensor = steps.make(Reshape{}, {x.tensor}, x.shape);
  }
  std::vector<int64_t> times;
  for (size_t axis = 0; axis < out.size(); ++axis)
    times.push_back(x.shape[axis] == 1 ? out[axis] : 1);
  repeat(op, steps, x, times);
}

void tile(const FileOp& op, Steps& steps) {
  const std::vector<int64_t> times = integers(op, 1, "numbers of copies");
  if (times.size() != op.input(0).shape.size()) refuse_shapes(op, "other numbers of copies");
  repeat(op, steps, input_of(op), times);
}

}  // namespace thimble
