// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void minimum(const View& a, const View& b, const View& out, const Region& region) noexcept {
  map_pairs<int8_t>(a, b, out, region, [](int8_t x, int8_t y) { return x > y ? y : x; });
}

}  // namespace thimble::runtime
