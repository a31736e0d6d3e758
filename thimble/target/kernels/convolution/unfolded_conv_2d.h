// SPDX-License-Identifier: Apache-2.0
// Convolutions with a bias of their own: of int16, and transposed ones. Private to
// thimble/target/kernels.
#pragma once

#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/operands.h"

namespace thimble {

/// x and output int16 with zero points 0, weights int8 with zero points 0, bias int32, int64 or
/// absent; weights and bias constant.
[[nodiscard]] bool has_int16_weights(const Operands& t);

/// All are int8, the weights constant, with one scale and a zero point that is not 0.
[[nodiscard]] bool has_offset_weights(const Operands& t);
/// The call of `family`; window and channels of the groups are in `params`.
[[nodiscard]] KernelUse unfolded_use(const Operands& t, Family family, const ConvolutionAxes& axes,
                                     runtime::UnfoldedConv2DParams params, Activation activation);

}  // namespace thimble
