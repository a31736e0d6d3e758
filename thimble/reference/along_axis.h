// SPDX-License-Identifier: Apache-2.0
// The lines of a tensor along one axis.
#pragma once

#include "thimble/reference/elements.h"

namespace thimble::reference {

/// Element numbers of a line: first + k * step, k in [0, count).
struct AxisLine {
  size_t first, step, count;
};

/// The lines at every position of the other axes, in row-major order.
[[nodiscard]] inline std::vector<AxisLine> lines_along(const Shape& shape, int axis) {
  const auto at = static_cast<size_t>(axis);
  const Strides strides = row_major_strides(shape);
  Shape others = shape;
  others[at] = 1;
  std::vector<AxisLine> result;
  for (const int64_t first : offsets(others, strides)) {
    result.push_back({static_cast<size_t>(first), static_cast<size_t>(strides[at]),
                      static_cast<size_t>(shape[at])});
  }
  return result;
}

}  // namespace thimble::reference
