// SPDX-License-Identifier: Apache-2.0
// Convolutions of float32. Private to thimble/target/kernels.
#pragma once

#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/operands.h"

namespace thimble {

/// x, weights, bias and output are float32, weights and bias constants.
[[nodiscard]] bool has_float_weights(const Operands& t);
/// The call of `family`; window and channels of the groups are in `params`.
[[nodiscard]] KernelUse float_convolution_use(const Operands& t, Family family,
                                              const ConvolutionAxes& axes,
                                              runtime::FloatConv2DParams params,
                                              Activation activation);

}  // namespace thimble
