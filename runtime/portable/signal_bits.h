// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

namespace thimble::runtime {

/// Bits up to the highest that is set; x is not 0.
inline int32_t bit_width(uint32_t x) noexcept { return 32 - __builtin_clz(x); }

}  // namespace thimble::runtime
