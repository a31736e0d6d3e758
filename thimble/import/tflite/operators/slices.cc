// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tflite/operators/slices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "thimble/import/tflite/operators/lists.h"
#include "thimble/import/tflite/shape_rules.h"

namespace thimble {
namespace {

/// A parameter with one number per axis.
std::vector<int64_t> per_axis(const TfliteOp& op, size_t input, const char* what) {
  std::vector<int64_t> result = integers(op, input, what);
  if (result.size() != op.input(0).shape.size()) {
    op.damaged(fmt::format("{} {} for an input of shape {}", result.size(), what,
                           to_string(op.input(0).shape)));
  }
  return result;
}

void expect_extents(const TfliteOp& op, const Shape& extents) {
  if (extents == op.output().shape) return;
  op.damaged(
      fmt::format("a slice of shape {} as an output of "
                  "shape {}",
                  to_string(extents), to_string(op.output().shape)));
}

/// One index has no next one, however far the file says that it is: its stride is 1.
Slice without_idle_strides(Slice slice, const Shape& extents) {
  auto extent = extents.begin();
  for (size_t axis = 0; axis < slice.stride.size(); ++axis) {
    const bool dropped = std::ranges::count(slice.dropped, static_cast<int>(axis)) > 0;
    if (dropped || *extent == 1) slice.stride[axis] = 1;
    if (!dropped) ++extent;
  }
  return slice;
}

/// Attributes leave the extents to the output.
Attributes checked_slice(const TfliteOp& op, Slice slice, const Shape& extents) {
  expect_extents(op, extents);
  return without_idle_strides(std::move(slice), extents);
}

/// The indices of one axis, as TensorFlow Lite finds them.
struct AxisRange {
  int64_t extent, stride;

  /// Counted from the end if negative, then cut; the stop of a range that runs backwards is -1.
  [[nodiscard]] int64_t index(int64_t given) const {
    const int64_t from_front = given < 0 ? given + extent : given;
    return stride > 0 ? std::clamp<int64_t>(from_front, 0, extent)
                      : std::clamp<int64_t>(from_front, -1, extent - 1);
  }
  [[nodiscard]] int64_t first() const { return stride > 0 ? 0 : extent - 1; }
  [[nodiscard]] int64_t stop() const { return stride > 0 ? extent : -1; }
  [[nodiscard]] int64_t count(int64_t begin, int64_t end) const {
    const int64_t span = stride > 0 ? end - begin : begin - end;
    const int64_t step = std::abs(stride);
    return std::max<int64_t>(0, (span + step - 1) / step);
  }
};

/// What one index of a strided slice is, of which the file may leave some out.
struct Index {
  enum class Kind : uint8_t { kGiven, kWhole, kNewAxis } kind;
  size_t number = 0;  ///< kGiven: among the begins
};

bool has_bit(int32_t mask, size_t number) { return number < 32 && (mask >> number & 1) != 0; }

/// Per axis of the input with the new ones. An ellipsis stands for the axes that no index names,
/// and for one at least, as in TensorFlow Lite; so do indices that are missing behind the last.
std::vector<Index> indices_of(const TfliteOp& op, const tfl::StridedSliceOptions& from,
                              size_t given) {
  const auto is_new = [&](size_t k) {
    return has_bit(from.new_axis_mask, k) && !has_bit(from.ellipsis_mask, k);
  };
  size_t count = op.input(0).shape.size();
  for (size_t k = 0; k < given; ++k) count += is_new(k) ? 1 : 0;
  std::vector<Index> result;
  for (size_t k = 0; k < given && result.size() < count; ++k) {
    if (has_bit(from.ellipsis_mask, k)) {
      const size_t left_out = count + 1 > given ? count + 1 - given : 1;
      result.insert(result.end(), std::min(std::max<size_t>(left_out, 1), count - result.size()),
                    {Index::Kind::kWhole});
    } else {
      result.push_back({is_new(k) ? Index::Kind::kNewAxis : Index::Kind::kGiven, k});
    }
  }
  result.resize(count, {Index::Kind::kWhole});
  return result;
}

/// Where axis number `axis` starts, and how many elements it gives.
struct AxisSlice {
  int64_t begin = 0, count = 0;
  bool dropped = false;
};

/// The begin and end that the file gives, with their number there.
struct GivenRange {
  size_t number;
  int64_t begin, end;
};

AxisSlice axis_slice(const TfliteOp& op, const tfl::StridedSliceOptions& from, size_t axis,
                     const AxisRange& range, const GivenRange& given) {
  auto is_set = [&](int32_t mask) { return has_bit(mask, given.number); };
  const bool dropped = is_set(from.shrink_axis_mask);
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (range.stride == 0 || range.stride > kMost || range.stride < (dropped ? 1 : -kMost)) {
    op.refuse(
        fmt::format("stride {} along axis {} is not supported; it is not "
                    "0, within int32, and positive where the axis is "
                    "dropped",
                    range.stride, axis));
  }
  const int64_t begin = is_set(from.begin_mask) ? range.first() : range.index(given.begin);
  if (dropped) {
    if (begin < range.extent) return {begin, 1, true};
    op.damaged(fmt::format("axis {} of {} has no index {}", axis, range.extent, given.begin));
  }
  const int64_t end = is_set(from.end_mask) ? range.stop() : range.index(given.end);
  return {begin, range.count(begin, end), false};
}

/// The part of x that output `output_number` is, the outputs before it lying in front of it.
Attributes part(const TfliteOp& op, const Tensor& x, const std::vector<int64_t>& axes) {
  const auto rank = static_cast<int64_t>(x.shape.size());
  if (axes.size() != 1 || axes[0] < -rank || axes[0] >= rank) {
    op.damaged(
        fmt::format("it splits a tensor with {} axes along "
                    "axis [{}]",
                    rank, fmt::join(axes, ", ")));
  }
  const auto axis = static_cast<size_t>(axes[0] < 0 ? axes[0] + rank : axes[0]);
  std::vector<int64_t> begins(x.shape.size(), 0);
  int64_t sum = 0;
  for (size_t k = 0; k < op.outputs.size(); ++k) {
    const Shape& made = op.tensors[op.outputs[k].index()].shape;
    if (k == op.output_number) begins[axis] = sum;
    sum += made.size() == x.shape.size() ? made[axis] : 0;
  }
  if (sum != x.shape[axis]) {
    op.damaged(
        fmt::format("its outputs have {} indices along axis "
                    "{}, its input {}",
                    sum, axis, x.shape[axis]));
  }
  Shape extents = x.shape;
  extents[axis] = op.output().shape.size() == x.shape.size() ? op.output().shape[axis] : 0;
  return checked_slice(op, {begins, std::vector<int64_t>(begins.size(), 1), {}}, extents);
}

struct Cut {
  Slice slice;
  Shape extents;  ///< of what it makes
};

Cut cut_of_slice(const TfliteOp& op) {
  const std::vector<int64_t> begins = per_axis(op, 1, "begins");
  Shape extents = per_axis(op, 2, "sizes");
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    const int64_t extent = op.input(0).shape[axis];
    const bool inside = begins[axis] >= 0 && begins[axis] <= extent;
    if (inside && extents[axis] == -1) extents[axis] = extent - begins[axis];  // all that follow
    if (!inside || extents[axis] < 0 || extents[axis] > extent - begins[axis]) {
      op.damaged(
          fmt::format("a slice of {} from {} along axis {} of "
                      "{}",
                      extents[axis], begins[axis], axis, extent));
    }
  }
  return {{begins, std::vector<int64_t>(begins.size(), 1), {}}, std::move(extents)};
}

/// With the new axes, which the slice itself does not have.
struct StridedCut {
  Cut cut;
  Shape extents;
};

StridedCut cut_of_strided_slice(const TfliteOp& op) {
  const auto& from = options<tfl::StridedSliceOptions>(op);
  if (from.offset) {
    op.refuse("ends that count from the begins are not supported");
  }
  const std::vector<int64_t> begins = integers(op, 1, "begins"), ends = integers(op, 2, "ends"),
                             strides = integers(op, 3, "strides");
  const Shape& x = op.input(0).shape;
  const std::vector<Index> indices = indices_of(op, from, begins.size());
  const auto axes = static_cast<size_t>(
      std::ranges::count_if(indices, [](Index i) { return i.kind != Index::Kind::kNewAxis; }));
  if (ends.size() != begins.size() || strides.size() != begins.size() || axes != x.size() ||
      (begins.size() > indices.size() && from.ellipsis_mask == 0)) {
    op.damaged(
        fmt::format("{} begins, {} ends and {} strides for an "
                    "input of shape {}",
                    begins.size(), ends.size(), strides.size(), to_string(x)));
  }
  StridedCut result;
  Slice& slice = result.cut.slice;
  for (const auto& [kind, number] : indices) {
    if (kind == Index::Kind::kNewAxis) {
      result.extents.push_back(1);
      continue;
    }
    const size_t axis = slice.begin.size();
    const bool given = kind == Index::Kind::kGiven;
    const AxisRange range{x[axis], given ? strides[number] : 1};
    const AxisSlice found =
        given ? axis_slice(op, from, axis, range, {number, begins[number], ends[number]})
              : AxisSlice{.begin = 0, .count = x[axis]};
    slice.begin.push_back(found.begin);
    slice.stride.push_back(range.stride);
    if (found.dropped) {
      slice.dropped.push_back(static_cast<int>(axis));
    } else {
      result.cut.extents.push_back(found.count);
      result.extents.push_back(found.count);
    }
  }
  return result;
}

void expect_splits(const TfliteOp& op) {
  const auto* from = options_if_any<tfl::SplitOptions>(op);
  if (from == nullptr || from->num_splits == std::ssize(op.outputs)) return;
  op.damaged(
      fmt::format("it splits into {}, and has {} outputs", from->num_splits, op.outputs.size()));
}

/// One of the slices that SPLIT (axis, x) is.
Attributes split(const TfliteOp& op) {
  expect_splits(op);
  return part(op, op.input(1), integers(op, 0, "axes"));
}

/// One of the slices that SPLIT_V (x, sizes, axis) is.
Attributes split_v(const TfliteOp& op) {
  expect_splits(op);
  (void)integers(op, 1, "sizes");  // the outputs' shapes repeat them
  return part(op, op.input(0), integers(op, 2, "axes"));
}

/// Index k of the axis, which the output lacks.
Attributes unpack(const TfliteOp& op) {
  const Shape& x = op.input(0).shape;
  const auto& from = options<tfl::AxisOptions>(op);
  const int axis = axis_of(op, from.axis, x.size());
  if (static_cast<int64_t>(op.outputs.size()) != x[static_cast<size_t>(axis)]) {
    op.damaged(fmt::format("{} outputs for {} indices of axis {}", op.outputs.size(),
                           x[static_cast<size_t>(axis)], axis));
  }
  Slice result{std::vector<int64_t>(x.size(), 0), std::vector<int64_t>(x.size(), 1), {axis}};
  result.begin[static_cast<size_t>(axis)] = static_cast<int64_t>(op.output_number);
  Shape extents = x;
  extents.erase(extents.begin() + axis);
  return checked_slice(op, std::move(result), extents);
}

/// Runs backwards.
Attributes reverse(const TfliteOp& op) {
  const Shape& x = op.input(0).shape;
  Slice result{std::vector<int64_t>(x.size(), 0), std::vector<int64_t>(x.size(), 1), {}};
  for (const int64_t given : integers(op, 1, "axes")) {
    const auto axis = static_cast<size_t>(axis_of(op, given, x.size()));
    result.begin[axis] = x[axis] - 1;
    result.stride[axis] = -1;
  }
  return checked_slice(op, std::move(result), x);
}

/// sizes: none for equal ones, or those given, of which one may be -1.
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

Shape equal_part(const TfliteOp& op) { return part_shape(op, 1, 0, {}); }

Shape given_part(const TfliteOp& op) { return part_shape(op, 0, 2, integers(op, 1, "sizes")); }

Shape unpacked(const TfliteOp& op) {
  Shape shape = shape_of(op, 0);
  const auto& o = options<tfl::AxisOptions>(op);
  shape.erase(shape.begin() + axis_of(op, o.axis, shape.size()));
  return shape;
}

Shape slice_extents(const TfliteOp& op) { return cut_of_slice(op).extents; }

Shape strided_slice_extents(const TfliteOp& op) { return cut_of_strided_slice(op).extents; }

}  // namespace

Attributes slice(const TfliteOp& op) {
  Cut cut = cut_of_slice(op);
  return checked_slice(op, std::move(cut.slice), cut.extents);
}

Slice strided_slice_without_new_axes(const TfliteOp& op) {
  StridedCut found = cut_of_strided_slice(op);
  expect_extents(op, found.extents);
  return without_idle_strides(std::move(found.cut.slice), found.cut.extents);
}

void finish_slice(Slice slice, Shape extents, const TfliteOp& op, Expansion& steps) {
  if (extents.empty()) {
    slice.dropped.clear();
    extents.assign(slice.begin.size(), 1);
  }
  if (extents == op.output().shape) return steps.finish(std::move(slice), {op.inputs[0]});
  steps.finish(Reshape{}, {steps.make(std::move(slice), {op.inputs[0]}, std::move(extents))});
}

namespace {

void strided_slice(const TfliteOp& op, Expansion& steps) {
  finish_slice(strided_slice_without_new_axes(op), cut_of_strided_slice(op).cut.extents, op, steps);
}

}  // namespace

OperatorList slice_kinds() {
  using enum tfl::BuiltinOperator;
  using enum OperatorKind::Uint8;
  static constexpr OperatorKind kKinds[] = {
      {.code = REVERSE_V2,
       .inputs = {2, 2},
       .first_parameter = 1,
       .attributes = reverse,
       .shape = first_input,
       .uint8 = kMoves},
      {.code = SLICE,
       .inputs = {3, 3},
       .first_parameter = 1,
       .attributes = slice,
       .shape = slice_extents,
       .uint8 = kMoves},
      {.code = SPLIT,
       .inputs = {2, 2},
       .per_output = true,
       .first_operand = 1,
       .attributes = split,
       .shape = equal_part,
       .repeats_shape = always,
       .uint8 = kMoves},
      {.code = SPLIT_V,
       .inputs = {3, 3},
       .per_output = true,
       .first_parameter = 1,
       .attributes = split_v,
       .shape = given_part,
       .repeats_shape = always,
       .uint8 = kMoves},
      {.code = STRIDED_SLICE,
       .inputs = {4, 4},
       .expand = strided_slice,
       .shape = strided_slice_extents,
       .uint8 = kMoves},
      {.code = UNPACK,
       .per_output = true,
       .attributes = unpack,
       .shape = unpacked,
       .uint8 = kMoves},
  };
  return kKinds;
}

}  // namespace thimble
