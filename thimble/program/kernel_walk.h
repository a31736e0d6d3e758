// SPDX-License-Identifier: Apache-2.0
// Between the axes of a tensor and the axes that a kernel walks.
#pragma once

#include <functional>
#include <vector>

#include "thimble/kernels/kernel.h"

namespace thimble {

/// How one call walks its operands; `leading` holds the coordinates on axes beyond the kernel's
/// four.
struct Walk {
  std::vector<OperandAxes> in;
  OperandAxes out;
  std::vector<int64_t> leading;
};

/// Of a plain copy of a tensor.
[[nodiscard]] Walk identity_walk(const Shape& shape);

/// Whether each kernel axis runs over as many indices of either tensor: a row-major sequence has
/// the same coordinates in both.
[[nodiscard]] bool same_extents(const OperandAxes& walk, const Shape& shape,
                                const OperandAxes& other, const Shape& other_shape);

/// The box of tensor indices around `region` (the kernel's four axes).
[[nodiscard]] Region to_tensor(const OperandAxes& walk, const std::vector<int64_t>& leading,
                               const Region& region, const Shape& shape);
/// The box of kernel coordinates (four axes) around a region of the tensor.
[[nodiscard]] Region to_kernel(const OperandAxes& walk, const Region& region, const Shape& shape);

/// Calls visit(pixel, channel, element) for every coordinate of `box`: pixel = sum of coordinate *
/// stride of the first three axes, channel = that of the last (kernels add it after the modulus of
/// a ring), element = the tensor's row-major element.
void each_coordinate(const Walk& walk, const OperandAxes& axes, const Shape& shape,
                     const std::vector<int64_t>& stride, const Region& box,
                     const std::function<void(int64_t, int64_t, int64_t)>& visit);

/// Calls visit(place, element) for every element of a tensor whose axes lie in memory in `order`.
void each_element(const Shape& shape, const std::vector<int>& order,
                  const std::function<void(int64_t, int64_t)>& visit);

}  // namespace thimble
