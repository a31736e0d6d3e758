// SPDX-License-Identifier: Apache-2.0
// Elements taken from, or put to, constant positions: of the value as one row.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "thimble/import/file_limits.h"
#include "thimble/import/onnx/along_axis.h"

namespace thimble::onnx {
namespace {

Value as_row(const Value& x) { return in_shape(x, {elements(x.shape)}); }

std::vector<int64_t> row_strides(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t k = shape.size(); k-- > 1;) strides[k - 1] = strides[k] * shape[k];
  return strides;
}

// Indices from an end, which count back where they are negative.
int64_t index_within(const Reading& r, int64_t index, int64_t extent) {
  if (index < -extent || index >= extent)
    r.node.damaged(fmt::format("index {} of {}", index, extent));
  return index < 0 ? index + extent : index;
}

// The positions in x of what indices along an axis say, for each of the indices.
std::vector<int64_t> positions_along(const Reading& r, const Shape& x, const Constant& indices,
                                     size_t axis) {
  if (indices.shape.size() != x.size()) r.node.damaged("its indices have other axes");
  const std::vector<int64_t> strides = row_strides(x), own = row_strides(indices.shape);
  std::vector<int64_t> positions = wholes(indices);
  for (size_t k = 0; k < positions.size(); ++k) {
    int64_t at = index_within(r, positions[k], x[axis]) * strides[axis];
    for (size_t other = 0; other < x.size(); ++other) {
      if (other == axis) continue;
      const int64_t index = static_cast<int64_t>(k) / own[other] % indices.shape[other];
      at += index_within(r, index, x[other]) * strides[other];
    }
    positions[k] = at;
  }
  return positions;
}

// Where the blocks begin in x that indices [.., depth] tell of, behind axes of batches.
std::vector<int64_t> block_positions(const Reading& r, const Shape& x, const Constant& indices,
                                     size_t batches) {
  const Shape& shape = indices.shape;
  if (shape.empty() || shape.size() <= batches ||
      static_cast<size_t>(shape.back()) + batches > x.size())
    r.node.damaged(fmt::format("indices {} of {}", to_string(shape), to_string(x)));
  const auto depth = static_cast<size_t>(shape.back());
  const std::vector<int64_t> strides = row_strides(x), all = wholes(indices);
  const int64_t count = depth == 0 ? 0 : std::ssize(all) / shape.back();
  const int64_t of_batches = std::accumulate(x.begin(), x.begin() + static_cast<long>(batches),
                                             int64_t{1}, std::multiplies());
  if (of_batches < 1) r.node.damaged("it has no batches");
  const int64_t block = batches == 0 ? elements(x) : strides[batches - 1];
  std::vector<int64_t> positions;
  for (int64_t k = 0; k < count; ++k) {
    int64_t at = k / std::max<int64_t>(count / of_batches, 1) * block;
    for (size_t axis = 0; axis < depth; ++axis) {
      const int64_t index = all[static_cast<size_t>(k) * depth + axis];
      at += index_within(r, index, x[batches + axis]) * strides[batches + axis];
    }
    positions.push_back(at);
  }
  return positions;
}

// Each position with those behind it, a block.
std::vector<int64_t> with_blocks(const Reading& r, const std::vector<int64_t>& begins,
                                 int64_t block) {
  if (block > 0 && std::ssize(begins) > kMaxTensorBytes / 8 / block)
    r.node.refuse(
        fmt::format("takes {} times {} elements, more than is supported", begins.size(), block));
  std::vector<int64_t> positions;
  for (const int64_t begin : begins)
    for (int64_t k = 0; k < block; ++k) positions.push_back(begin + k);
  return positions;
}

int64_t block_behind(const Shape& x, size_t axes) {
  return std::accumulate(x.begin() + static_cast<long>(axes), x.end(), int64_t{1},
                         std::multiplies());
}

void take_elements(Reading& r, const std::vector<int64_t>& positions, const Shape& shape) {
  r.make(0, in_shape(taken(r, as_row(r.input(0)), 0, positions), shape));
}

void gather_elements(Reading& r) {
  const Value& x = r.input(0);
  const Constant& indices = r.constant(1, "indices");
  const size_t axis = r.node.axis(r.node.whole("axis", 0), x.rank());
  take_elements(r, positions_along(r, x.shape, indices, axis), indices.shape);
}

void gather_blocks(Reading& r) {
  const Value& x = r.input(0);
  const Constant& indices = r.constant(1, "indices");
  const auto batches = static_cast<size_t>(std::max<int64_t>(r.node.whole("batch_dims", 0), 0));
  const std::vector<int64_t> begins = block_positions(r, x.shape, indices, batches);
  const size_t depth = static_cast<size_t>(indices.shape.back()) + batches;
  Shape shape(indices.shape.begin(), indices.shape.end() - 1);
  shape.insert(shape.end(), x.shape.begin() + static_cast<long>(depth), x.shape.end());
  take_elements(r, with_blocks(r, begins, block_behind(x.shape, depth)), shape);
}

// What is put to each position: its index behind `count` others. Where nothing is, its own. Of
// several updates of one position the last, or one in each round.
std::vector<std::vector<int64_t>> rounds_of(const Reading& r, int64_t count,
                                            const std::vector<int64_t>& positions,
                                            bool last_alone) {
  constexpr size_t kMostRounds = 16;
  std::vector<int64_t> own(static_cast<size_t>(count));
  std::iota(own.begin(), own.end(), 0);
  std::vector<std::vector<int64_t>> rounds = {own};
  std::vector<size_t> next(own.size());
  for (size_t k = 0; k < positions.size(); ++k) {
    const auto at = static_cast<size_t>(positions[k]);
    if (next[at] == kMostRounds)
      r.node.refuse(
          fmt::format("is not supported with more than {} updates of one position", kMostRounds));
    if (next[at] == rounds.size()) rounds.push_back(own);
    rounds[next[at]][at] = count + static_cast<int64_t>(k);
    if (!last_alone) ++next[at];
  }
  return rounds;
}

// Elements of two rows, one after the other.
Value taken_of_both(const Reading& r, const Value& x, const Value& y,
                    const std::vector<int64_t>& positions) {
  return taken(r, joined_along(r, {as_row(x), as_row(y)}, 0), 0, positions);
}

Value row_of(const Reading& r, int64_t count, float number) {
  return r.known(constant_of({count}, std::vector<float>(static_cast<size_t>(count), number)));
}

// x, but updates at positions, or what a reduction makes of both.
Value updated(const Reading& r, const std::vector<int64_t>& positions) {
  const Value &x = r.input(0), &updates = r.input(2);
  if (elements(updates.shape) != std::ssize(positions)) r.node.damaged("updates of other places");
  const std::string reduction = r.node.text("reduction", "none");
  const int64_t count = elements(x.shape);
  const auto rounds = rounds_of(r, count, positions, reduction == "none");
  if (reduction == "none") return in_shape(taken_of_both(r, x, updates, rounds[0]), x.shape);
  if (x.type != DType::kFloat32) r.node.refuse("is not supported with a reduction but for float32");
  Value result = as_row(x);
  for (const std::vector<int64_t>& from : rounds) {
    if (reduction == "add")
      result = r.each(Add{}, result, taken_of_both(r, row_of(r, count, 0), updates, from));
    else if (reduction == "mul")
      result = r.each(Mul{}, result, taken_of_both(r, row_of(r, count, 1), updates, from));
    else if (reduction == "max")
      result = r.each(Maximum{}, result, taken_of_both(r, result, updates, from));
    else if (reduction == "min")
      result = r.each(Minimum{}, result, taken_of_both(r, result, updates, from));
    else
      r.node.damaged("a reduction that there is not");
  }
  return in_shape(result, x.shape);
}

void scatter_elements(Reading& r) {
  const Value& x = r.input(0);
  const size_t axis = r.node.axis(r.node.whole("axis", 0), x.rank());
  r.make(0, updated(r, positions_along(r, x.shape, r.constant(1, "indices"), axis)));
}

void scatter_blocks(Reading& r) {
  const Value& x = r.input(0);
  const Constant& indices = r.constant(1, "indices");
  const std::vector<int64_t> begins = block_positions(r, x.shape, indices, 0);
  const int64_t block = block_behind(x.shape, static_cast<size_t>(indices.shape.back()));
  r.make(0, updated(r, with_blocks(r, begins, block)));
}

void compress(Reading& r) {
  const bool of_axis = r.node.has("axis");
  const Value x = of_axis ? r.input(0) : as_row(r.input(0));
  const size_t axis = of_axis ? r.node.axis(r.node.whole("axis", 0), x.rank()) : 0;
  const std::vector<int64_t> holds = wholes(r.constant(1, "conditions"));
  std::vector<int64_t> positions;
  for (size_t k = 0; k < holds.size(); ++k)
    if (holds[k] != 0) positions.push_back(index_within(r, static_cast<int64_t>(k), x.shape[axis]));
  if (positions.empty()) r.node.refuse("leaves nothing of its input");
  r.make(0, taken(r, x, axis, positions));
}

// The first so many along time run backwards, in each batch.
void reverse_sequence(Reading& r) {
  const Value& x = r.input(0);
  const size_t time = r.node.axis(r.node.whole("time_axis", 0), x.rank());
  const size_t batch = r.node.axis(r.node.whole("batch_axis", 1), x.rank());
  const std::vector<int64_t> lengths = wholes(r.constant(1, "lengths"));
  if (std::ssize(lengths) != x.shape[batch]) r.node.damaged("lengths of other batches");
  const std::vector<int64_t> strides = row_strides(x.shape);
  std::vector<int64_t> positions(static_cast<size_t>(elements(x.shape)));
  std::iota(positions.begin(), positions.end(), 0);
  for (int64_t& position : positions) {
    const int64_t at = position / strides[time] % x.shape[time];
    const int64_t length = lengths[static_cast<size_t>(position / strides[batch] % x.shape[batch])];
    if (length > x.shape[time]) r.node.damaged("a length beyond the end");
    if (at < length) position += (length - 1 - 2 * at) * strides[time];
  }
  take_elements(r, positions, x.shape);
}

}  // namespace

const ReadNodes& position_operators() {
  static const ReadNodes all = {
      {"Compress", compress},        {"GatherElements", gather_elements},
      {"GatherND", gather_blocks},   {"ReverseSequence", reverse_sequence},
      {"Scatter", scatter_elements}, {"ScatterElements", scatter_elements},
      {"ScatterND", scatter_blocks}};
  return all;
}

}  // namespace thimble::onnx
