// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void div_i32(const View& a, const View& b, const View& out, const Region& region) noexcept {
  map_pairs<int32_t>(a, b, out, region, [](int32_t x, int32_t y) -> int32_t {
    if (y == 0) return 0;
    return y == -1 ? static_cast<int32_t>(0U - static_cast<uint32_t>(x)) : x / y;
  });
}

}  // namespace thimble::runtime
