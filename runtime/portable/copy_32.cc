// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void copy_32(const View& x, const View& out, const Region& region) noexcept {
  map_elements<int32_t, int32_t>(x, out, region, [](int32_t value) { return value; });
}

}  // namespace thimble::runtime
