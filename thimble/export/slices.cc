// SPDX-License-Identifier: Apache-2.0
// SLICE and STRIDED_SLICE.
#include <algorithm>

#include "thimble/export/tflite_ops.h"

namespace thimble {
namespace {

/// Extents along the input's axes; 1 where the output lacks the axis.
Shape slice_extents(const Slice& op, const OpContext& c) {
  Shape extents;
  size_t next = 0;
  for (size_t axis = 0; axis < op.begin.size(); ++axis) {
    const bool dropped = std::ranges::find(op.dropped, static_cast<int>(axis)) != op.dropped.end();
    extents.push_back(dropped ? 1 : c.output().shape[next++]);
  }
  return extents;
}

}  // namespace

FileOperator written(const Slice& op, const OpContext& c) {
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

}  // namespace thimble
