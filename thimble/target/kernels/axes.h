// SPDX-License-Identifier: Apache-2.0
// How kernels walk operands. Private to thimble/target/kernels.
//
//   tensor [7,4,7]: identity_axes(3)          {}, {0}, {1}, {2}
//   its addend [7,1,7]: broadcast_axes        {}, {0}, {},  {2}
//   both reshaped: merged_axes(3)             {}, {},  {},  {0,1,2}
#pragma once

#include "thimble/target/kernels/kernel.h"

namespace thimble {

/// Each axis of the tensor is one of the kernel's, the last ones aligned.
[[nodiscard]] OperandAxes identity_axes(size_t rank);
/// An operand that is broadcast to the shape of the output.
[[nodiscard]] OperandAxes broadcast_axes(const Shape& shape, const Shape& out);
/// The whole tensor as one row.
[[nodiscard]] OperandAxes merged_axes(size_t rank);
/// The output's whole extent in kernel coordinates.
[[nodiscard]] Region limits_of(const OperandAxes& out, const Shape& shape);

/// Where x and the output of a convolution lie under the kernel's axes.
struct ConvolutionAxes {
  OperandAxes in, out;
};

/// A call whose operands 0, 1, .. all have the output's shape, or are broadcast to it.
[[nodiscard]] KernelUse elementwise_use(KernelId kernel, KernelParams params,
                                        const std::vector<Shape>& in, const Shape& out);

/// Extents of the last four axes, with leading ones.
[[nodiscard]] std::array<int32_t, 4> last_extents(const Shape& shape);

}  // namespace thimble
