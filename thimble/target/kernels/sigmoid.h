// SPDX-License-Identifier: Apache-2.0
// Private to thimble/target/kernels.
#pragma once

#include "thimble/target/kernels/operands.h"

namespace thimble {

/// Kernel of LOGISTIC or TANH, int16. most_exponent: of sigmoid_scaling() (reference/sigmoid.h).
[[nodiscard]] KernelUse sigmoid_use(const Operands& t, Family family, int most_exponent);
/// What the reference interpolates between.
[[nodiscard]] std::vector<PackedConstant> pack_sigmoid(const Operands& t);

}  // namespace thimble
