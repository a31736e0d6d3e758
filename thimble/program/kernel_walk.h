// SPDX-License-Identifier: Apache-2.0
// Between the axes of a tensor and the axes that a kernel walks.
#pragma once

#include <functional>
#include <vector>

#include "thimble/target/kernels/kernel.h"

namespace thimble {

/// How one call walks its operands; `leading` holds the coordinates on axes beyond the kernel's
/// four.
struct Walk {
  std::vector<OperandAxes> in;
  OperandAxes out;
  std::vector<int64_t> leading;
};

/// The walk of a plain copy of a tensor.
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

/// Elements of an operand that lie evenly in memory.
struct Run {
  int64_t pixel = 0;    ///< n * stride[0] + y * stride[1] + x * stride[2] of the first
  int64_t channel = 0;  ///< c * stride[3]: kernels add it after the modulus of a ring
  int64_t element = 0;  ///< number of the first, row-major in its tensor
  int64_t count = 1;
  int64_t memory_step = 1, element_step = 1;  ///< from one to the next, in elements
};

/// Calls visit(run) for the coordinates of `box` (the kernel's four axes), in row-major order, with
/// runs as long as they can be. view: its strides and modulus.
void each_run(const Walk& walk, const OperandAxes& axes, const Shape& shape,
              const runtime::View& view, const Region& box,
              const std::function<void(const Run&)>& visit);

/// Calls visit(place, element) for every element of a tensor whose axes lie in memory in `order`.
void each_element(const Shape& shape, const std::vector<int>& order,
                  const std::function<void(int64_t, int64_t)>& visit);

}  // namespace thimble
