// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void mul_i32(const View& a, const View& b, const View& out, const Region& region) noexcept {
  map_pairs<int32_t>(a, b, out, region, [](int32_t x, int32_t y) {
    return static_cast<int32_t>(static_cast<uint32_t>(x) * static_cast<uint32_t>(y));
  });
}

}  // namespace thimble::runtime
