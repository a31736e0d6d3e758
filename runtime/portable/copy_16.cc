// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void copy_16(const View& x, const View& out, const Region& region) noexcept {
  map_elements<int16_t, int16_t>(x, out, region, [](int16_t value) { return value; });
}

}  // namespace thimble::runtime
