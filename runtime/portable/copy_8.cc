// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void copy_8(const View& x, const View& out, const Region& region) noexcept {
  map_elements<int8_t, int8_t>(x, out, region, [](int8_t value) { return value; });
}

}  // namespace thimble::runtime
