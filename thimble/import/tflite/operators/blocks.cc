// SPDX-License-Identifier: Apache-2.0
// Blocks of pixels become channels or images, and come back.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "thimble/import/movements.h"
#include "thimble/import/tflite/operators/lists.h"
#include "thimble/import/tflite/shape_rules.h"

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

/// height and width times (or by) the block, channels by (or times) its square.
template <bool to_depth>
Shape in_blocks(const TfliteOp& op) {
  const int64_t block = options<tfl::BlockOptions>(op).block_size;
  Shape shape = shape_of(op, 0, 4);
  if (block < 1 || block > 32768) refuse_operands(op);
  const auto scaled = [&](int64_t extent, bool down) {
    return down ? extent / block : extent * block;
  };
  for (const size_t axis : {1, 2}) shape[axis] = scaled(shape[axis], to_depth);
  for (int twice = 0; twice < 2; ++twice) shape[3] = scaled(shape[3], !to_depth);
  return shape;
}

}  // namespace

OperatorList block_kinds() {
  using enum tfl::BuiltinOperator;
  using enum OperatorKind::Uint8;
  static constexpr OperatorKind kKinds[] = {
      {.code = BATCH_TO_SPACE_ND,
       .inputs = {3, 3},
       .expand = batch_to_space,
       .shape = not_followed,
       .uint8 = kMoves},
      {.code = DEPTH_TO_SPACE,
       .expand = depth_to_space,
       .shape = in_blocks<false>,
       .uint8 = kMoves},
      {.code = SPACE_TO_BATCH_ND,
       .inputs = {3, 3},
       .expand = space_to_batch,
       .shape = not_followed,
       .uint8 = kComputes},
      {.code = SPACE_TO_DEPTH, .expand = space_to_depth, .shape = in_blocks<true>, .uint8 = kMoves},
  };
  return kKinds;
}

}  // namespace thimble
