// SPDX-License-Identifier: Apache-2.0
// What convolutions and fully connected layers share: the convolution's kernels. Private to
// thimble/target/kernels.
#pragma once

#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/operands.h"

namespace thimble {

/// The call for kCompute, kAccumulate or kFinalise. params: with everything but zero points and
/// clamp.
[[nodiscard]] KernelUse convolution_use(const Operands& t, Method method,
                                        const ConvolutionAxes& axes, runtime::Conv2DParams params,
                                        Activation activation);

}  // namespace thimble
