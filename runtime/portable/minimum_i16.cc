// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void minimum_i16(const View& a, const View& b, const View& out, const Region& region) noexcept {
  map_pairs<int16_t>(a, b, out, region, [](int16_t x, int16_t y) { return x > y ? y : x; });
}

}  // namespace thimble::runtime
