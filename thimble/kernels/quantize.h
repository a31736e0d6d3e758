// SPDX-License-Identifier: Apache-2.0
// Real scales -> fixed-point ones, as TensorFlow Lite forms them (spec/reference_arithmetic.md).
#pragma once

#include <cstdint>

#include "thimble_runtime/kernels.h"

namespace thimble {

/// real >= 0 -> multiplier in [2^30, 2^31) and a left shift (negative: right), frexp and rounding to nearest.
[[nodiscard]] runtime::Scale quantize_scale(double real);

}  // namespace thimble
