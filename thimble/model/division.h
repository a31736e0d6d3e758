// SPDX-License-Identifier: Apache-2.0
// Division of integers that rounds down or up, negative numbers too.
#pragma once

#include <cstdint>

namespace thimble {

/// a / b rounded towards minus infinity. b > 0.
constexpr int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
/// a / b rounded towards plus infinity. b > 0.
constexpr int64_t ceil_div(int64_t a, int64_t b) { return -floor_div(-a, b); }

}  // namespace thimble
