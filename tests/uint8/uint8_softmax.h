// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace thimble::testing {

/// 1 / (1 + a) for a in [0, 1), both without integer bits.
int32_t one_over_one_plus(int32_t a);

/// One row; the output's scale is 1/256, its zero point 0.
void softmax_uint8(double beta, float input_scale, const uint8_t* x, size_t count, uint8_t* out);

}  // namespace thimble::testing
