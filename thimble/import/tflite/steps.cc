// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "thimble/import/movements.h"
#include "thimble/import/tflite/expansions.h"
#include "thimble/model/dequantised.h"

namespace thimble {
namespace {

int64_t block_of(const TfliteOp& op, bool divides) {
  const int64_t block = options<tfl::BlockOptions>(op).block_size;
  const Shape& x = op.input(0).shape;
  if (x.size() != 4 || block < 1) {
    op.refuse(
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

Blocks blocks_of(const TfliteOp& op) {
  Blocks b{integers(op, 1, "block sizes"), {}, {}};
  const std::vector<int64_t> table = integers(op, 2, "paddings or crops");
  const size_t rank = op.input(0).shape.size();
  const bool fits = (rank == 3 || rank == 4) && b.size.size() == rank - 2 &&
                    table.size() == 2 * b.size.size() &&
                    std::ranges::all_of(b.size, [](int64_t n) { return n >= 1 && n <= 65535; }) &&
                    std::ranges::all_of(table, [](int64_t n) { return n >= 0 && n <= 65535; });
  if (!fits) {
    op.refuse(
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

void dequantize(const TfliteOp& op, Expansion& steps) {
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

void prelu(const TfliteOp& op, Expansion& steps) {
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

void only_extents(const TfliteOp& op, Expansion&) {
  op.refuse(
      "its values are not known when compiling, which is not supported; supported "
      "is what follows from shapes and a few constant integers");
}

void pack(const TfliteOp& op, Expansion& steps) {
  const auto& from = options<tfl::AxisOptions>(op);
  const int axis = axis_of(op, from.axis, op.output().shape.size());
  std::vector<TensorId> parts;
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    Shape shape = op.input(k).shape;
    if (shape.size() + 1 != op.output().shape.size()) refuse_shapes(op, "an axis more");
    shape.insert(shape.begin() + axis, 1);
    parts.push_back(steps.make(Reshape{}, {op.inputs[k]}, shape));
  }
  steps.finish(Concat{.axis = axis}, parts);
}

void gather(const TfliteOp& op, Expansion& steps) {
  const auto& from = options<tfl::GatherOptions>(op);
  const Shape &x = op.input(0).shape, &indices = op.input(1).shape;
  const auto axis = static_cast<size_t>(axis_of(op, from.axis, x.size()));
  const int64_t given = from.batch_dims;
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
void gather_nd(const TfliteOp& op, Expansion& steps) {
  const Shape x = op.input(0).shape, indices = op.input(1).shape;
  const auto depth = indices.empty() ? 0 : static_cast<size_t>(indices.back());
  if (depth < 1 || depth > x.size()) refuse_shapes(op, "positions of other axes");
  if (!op.input(1).is_constant()) return gather_nd_at_run_time(op, steps, depth);
  const std::vector<int64_t> table = integers(op, 1, "positions");
  const auto begin = x.begin() + static_cast<int64_t>(depth);
  Shape flat{elements(Shape(x.begin(), begin))}, shape = indices;
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

void depth_to_space(const TfliteOp& op, Expansion& steps) {
  const int64_t b = block_of(op, false);
  const Moved x = input_of(op);
  const Shape& s = x.shape;
  const int64_t channels = s[3] / (b * b);
  const Shape shape{s[0], s[1] * b, s[2] * b, channels};
  expect_shape(op, shape, fmt::format("blocks of {}", b));
  finish_with(steps,
              rearranged(steps, x, {s[0], s[1], s[2], b, b, channels}, {0, 1, 3, 2, 4, 5}, shape));
}

void space_to_depth(const TfliteOp& op, Expansion& steps) {
  const int64_t b = block_of(op, true);
  const Moved x = input_of(op);
  const Shape& s = x.shape;
  const Shape shape{s[0], s[1] / b, s[2] / b, s[3] * b * b};
  expect_shape(op, shape, fmt::format("blocks of {}", b));
  finish_with(steps, rearranged(steps, x, {s[0], s[1] / b, b, s[2] / b, b, s[3]},
                                {0, 1, 3, 2, 4, 5}, shape));
}

/// Batch number (row in the block, column in the block, image).
void batch_to_space(const TfliteOp& op, Expansion& steps) {
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

void space_to_batch(const TfliteOp& op, Expansion& steps) {
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

void mirror_pad(const TfliteOp& op, Expansion& steps) {
  const auto& from = options<tfl::MirrorPadOptions>(op);
  const int64_t edge = from.mode == tfl::MirrorPadMode::REFLECT ? 1 : 0;  // not repeated
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
void add_one_by_one(const TfliteOp& op, Expansion& steps) {
  if (op.inputs.size() == 1) return steps.finish(Reshape{}, {op.inputs[0]});
  const Shape shape = op.output().shape;
  TensorId sum = op.inputs[0];
  for (size_t k = 1; k + 1 < op.inputs.size(); ++k)
    sum = steps.make(Add{}, {sum, op.inputs[k]}, shape);
  steps.finish(Add{}, {sum, op.inputs.back()});
}

/// Each widened to int32 of one scale, in which they are added.
void add_widened(const TfliteOp& op, Expansion& steps) {
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

void add_n(const TfliteOp& op, Expansion& steps) {
  const Tensor first = op.input(0);
  const bool has_scale =
      first.quantization.scales.size() == 1 && first.quantization.zero_points.size() == 1;
  const bool is_float = first.type == DType::kFloat32;
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    const Tensor& x = op.input(k);
    const bool fits = is_float || (first.type == DType::kInt8 && has_scale &&
                                   x.quantization == first.quantization);
    if (fits && x.type == first.type && x.shape == first.shape) continue;
    op.refuse(
        fmt::format("inputs {} {} and {} {} are not supported; supported are float32, or int8 of "
                    "one scale and one zero point, of one shape",
                    name(first.type), to_string(first.shape), name(x.type), to_string(x.shape)));
  }
  if (is_float) return add_one_by_one(op, steps);
  add_widened(op, steps);
}

void broadcast_to(const TfliteOp& op, Expansion& steps) {
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
  finish_repeated(op, steps, x, times);
}

void tile(const TfliteOp& op, Expansion& steps) {
  const std::vector<int64_t> times = integers(op, 1, "numbers of copies");
  if (times.size() != op.input(0).shape.size()) refuse_shapes(op, "other numbers of copies");
  finish_repeated(op, steps, input_of(op), times);
}

}  // namespace thimble
