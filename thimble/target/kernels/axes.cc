// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/axes.h"

#include <algorithm>
#include <numeric>

namespace thimble {

OperandAxes identity_axes(size_t rank) {
  OperandAxes result;
  for (size_t k = rank; k < 4; ++k) result.axes.emplace_back();
  for (size_t axis = 0; axis < rank; ++axis) result.axes.push_back({static_cast<int>(axis)});
  result.shift.assign(result.axes.size(), 0);
  result.step.assign(result.axes.size(), 1);
  return result;
}

OperandAxes broadcast_axes(const Shape& shape, const Shape& out) {
  OperandAxes result = identity_axes(out.size());
  const size_t lead = result.axes.size() - shape.size();
  for (size_t k = 0; k < lead; ++k) result.axes[k].clear();
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    result.axes[lead + axis].clear();
    if (shape[axis] != 1) result.axes[lead + axis].push_back(static_cast<int>(axis));
  }
  return result;
}

OperandAxes merged_axes(size_t rank) {
  OperandAxes result = identity_axes(0);
  result.axes[3].resize(rank);
  std::iota(result.axes[3].begin(), result.axes[3].end(), 0);
  return result;
}

Region limits_of(const OperandAxes& out, const Shape& shape) {
  Region result;
  for (size_t k = 0; k < out.axes.size(); ++k) {
    int64_t extent = 1;
    for (int axis : out.axes[k]) extent *= shape[static_cast<size_t>(axis)];
    result.push_back({out.shift[k], out.shift[k] + extent});
  }
  return result;
}

KernelUse elementwise_use(KernelId kernel, KernelParams params, const std::vector<Shape>& in,
                          const Shape& out) {
  KernelUse use{.kernel = kernel,
                .params = params,
                .inputs = {},
                .in = {},
                .out = identity_axes(out.size()),
                .limits = {}};
  for (size_t k = 0; k < in.size(); ++k) {
    use.inputs.push_back(static_cast<int>(k));
    use.in.push_back(in[k] == out ? use.out : broadcast_axes(in[k], out));
  }
  use.limits = limits_of(use.out, out);
  return use;
}

std::array<int32_t, 4> last_extents(const Shape& shape) {
  std::array<int32_t, 4> result{1, 1, 1, 1};
  const size_t count = std::min<size_t>(shape.size(), 4);
  for (size_t k = 0; k < count; ++k) {
    result[4 - count + k] = static_cast<int32_t>(shape[shape.size() - count + k]);
  }
  return result;
}

}  // namespace thimble
