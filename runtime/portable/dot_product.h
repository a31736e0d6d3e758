// SPDX-License-Identifier: Apache-2.0
// Sums of products as the reference forms them: in 32 bits that wrap around.
#pragma once

#include <stdint.h>

namespace thimble::runtime {

/// sum + the products of `count` elements of a, less its zero point, and of b.
template <class A, class B>
inline uint32_t add_products(uint32_t sum, const A* a, int32_t a_step, int32_t zero_point,
                             const B* b, int32_t b_step, int32_t count) noexcept {
  for (; count > 0; --count, a += a_step, b += b_step)
    sum += static_cast<uint32_t>((*a - zero_point) * *b);
  return sum;
}

}  // namespace thimble::runtime
