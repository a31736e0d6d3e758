// SPDX-License-Identifier: Apache-2.0
// SLICE, STRIDED_SLICE, SPLIT, SPLIT_V, UNPACK and REVERSE_V2 of a .tflite file: indices counted
// from the end, cut and masked as TensorFlow Lite does.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "thimble/import/tflite_parts.h"

namespace thimble {
namespace {

/// A parameter with one number per axis.
std::vector<int64_t> per_axis(const FileOp& op, size_t input, const char* what) {
  std::vector<int64_t> result = integers(op, input, what);
  if (result.size() != op.input(0).shape.size()) {
    throw CompileError(op.where, fmt::format("is damaged: {} {} for an input of shape {}",
                                             result.size(), what, to_string(op.input(0).shape)));
  }
  return result;
}

/// Attributes leave the extents to the output. One index has no next one, however far the file says
/// that it is: its stride is 1.
Attributes checked_slice(const FileOp& op, Slice slice, const Shape& extents) {
  if (extents != op.output().shape) {
    throw CompileError(op.where, fmt::format("is damaged: a slice of shape {} as an output of "
                                             "shape {}",
                                             to_string(extents), to_string(op.output().shape)));
  }
  auto extent = extents.begin();
  for (size_t axis = 0; axis < slice.stride.size(); ++axis) {
    const bool dropped = std::ranges::count(slice.dropped, static_cast<int>(axis)) > 0;
    if (dropped || *extent == 1) slice.stride[axis] = 1;
    if (!dropped) ++extent;
  }
  return slice;
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

const tflite::StridedSliceOptions& strided_slice_options(const FileOp& op) {
  const auto& from = options(op, op.op.builtin_options_as_StridedSliceOptions());
  if (from.ellipsis_mask() != 0 || from.new_axis_mask() != 0 || from.offset()) {
    throw CompileError(op.where,
                       "an ellipsis mask, a new axis mask and ends that count from the begins are "
                       "not supported; supported are masks of begins, of ends and of dropped axes");
  }
  return from;
}

/// Where axis number `axis` starts, and how many elements it gives.
struct AxisSlice {
  int64_t begin = 0, count = 0;
  bool dropped = false;
};

AxisSlice axis_slice(const FileOp& op, const tflite::StridedSliceOptions& from, size_t axis,
                     const AxisRange& range, int64_t given_begin, int64_t given_end) {
  auto is_set = [&](int32_t mask) { return (mask >> axis & 1) != 0; };  // at most 8 axes
  const bool dropped = is_set(from.shrink_axis_mask());
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (range.stride == 0 || range.stride > kMost || range.stride < (dropped ? 1 : -kMost)) {
    throw CompileError(op.where, fmt::format("stride {} along axis {} is not supported; it is not "
                                             "0, within int32, and positive where the axis is "
                                             "dropped",
                                             range.stride, axis));
  }
  const int64_t begin = is_set(from.begin_mask()) ? range.first() : range.index(given_begin);
  if (dropped) {
    if (begin < range.extent) return {begin, 1, true};
    throw CompileError(op.where, fmt::format("is damaged: axis {} of {} has no index {}", axis,
                                             range.extent, given_begin));
  }
  const int64_t end = is_set(from.end_mask()) ? range.stop() : range.index(given_end);
  return {begin, range.count(begin, end), false};
}

/// The part of x that output `output_number` is, the outputs before it lying in front of it.
Attributes part(const FileOp& op, const Tensor& x, const std::vector<int64_t>& axes) {
  const auto rank = static_cast<int64_t>(x.shape.size());
  if (axes.size() != 1 || axes[0] < -rank || axes[0] >= rank) {
    throw CompileError(op.where, fmt::format("is damaged: it splits a tensor with {} axes along "
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
    throw CompileError(op.where, fmt::format("is damaged: its outputs have {} indices along axis "
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

Cut cut_of_slice(const FileOp& op) {
  const std::vector<int64_t> begins = per_axis(op, 1, "begins");
  Shape extents = per_axis(op, 2, "sizes");
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    const int64_t extent = op.input(0).shape[axis];
    const bool inside = begins[axis] >= 0 && begins[axis] <= extent;
    if (inside && extents[axis] == -1) extents[axis] = extent - begins[axis];  // all that follow
    if (!inside || extents[axis] < 0 || extents[axis] > extent - begins[axis]) {
      throw CompileError(op.where, fmt::format("is damaged: a slice of {} from {} along axis {} of "
                                               "{}",
                                               extents[axis], begins[axis], axis, extent));
    }
  }
  return {{begins, std::vector<int64_t>(begins.size(), 1), {}}, std::move(extents)};
}

Cut cut_of_strided_slice(const FileOp& op) {
  const tflite::StridedSliceOptions& from = strided_slice_options(op);
  const std::vector<int64_t> begins = per_axis(op, 1, "begins");
  const std::vector<int64_t> ends = per_axis(op, 2, "ends");
  Cut cut{.slice = {{}, per_axis(op, 3, "strides"), {}}, .extents = {}};
  for (size_t axis = 0; axis < begins.size(); ++axis) {
    const AxisRange range{op.input(0).shape[axis], cut.slice.stride[axis]};
    const AxisSlice found = axis_slice(op, from, axis, range, begins[axis], ends[axis]);
    cut.slice.begin.push_back(found.begin);
    if (found.dropped) {
      cut.slice.dropped.push_back(static_cast<int>(axis));
    } else {
      cut.extents.push_back(found.count);
    }
  }
  return cut;
}

}  // namespace

Attributes split(const FileOp& op) { return part(op, op.input(1), integers(op, 0, "axes")); }

Attributes split_v(const FileOp& op) {
  (void)integers(op, 1, "sizes");  // the outputs' shapes repeat them
  return part(op, op.input(0), integers(op, 2, "axes"));
}

/// Index k of the axis, which the output lacks.
Attributes unpack(const FileOp& op) {
  const Shape& x = op.input(0).shape;
  const auto& from = options(op, op.op.builtin_options_as_UnpackOptions());
  const int axis = axis_of(op, from.axis(), x.size());
  if (static_cast<int64_t>(op.outputs.size()) != x[static_cast<size_t>(axis)]) {
    throw CompileError(
        op.where, fmt::format("is damaged: {} outputs for {} indices of axis {}", op.outputs.size(),
                              x[static_cast<size_t>(axis)], axis));
  }
  Slice result{std::vector<int64_t>(x.size(), 0), std::vector<int64_t>(x.size(), 1), {axis}};
  result.begin[static_cast<size_t>(axis)] = static_cast<int64_t>(op.output_number);
  Shape extents = x;
  extents.erase(extents.begin() + axis);
  return checked_slice(op, std::move(result), extents);
}

Attributes reverse(const FileOp& op) {
  const Shape& x = op.input(0).shape;
  Slice result{std::vector<int64_t>(x.size(), 0), std::vector<int64_t>(x.size(), 1), {}};
  for (const int64_t given : integers(op, 1, "axes")) {
    const auto axis = static_cast<size_t>(axis_of(op, given, x.size()));
    result.begin[axis] = x[axis] - 1;
    result.stride[axis] = -1;
  }
  return checked_slice(op, std::move(result), x);
}

Attributes slice(const FileOp& op) {
  Cut cut = cut_of_slice(op);
  return checked_slice(op, std::move(cut.slice), cut.extents);
}

Attributes strided_slice(const FileOp& op) {
  Cut cut = cut_of_strided_slice(op);
  return checked_slice(op, std::move(cut.slice), cut.extents);
}

Shape slice_extents(const FileOp& op) { return cut_of_slice(op).extents; }

Shape strided_slice_extents(const FileOp& op) { return cut_of_strided_slice(op).extents; }

}  // namespace thimble
