// SPDX-License-Identifier: Apache-2.0
#include "floor_quotient.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void floor_mod_i32(const View& a, const View& b, const View& out, const Region& region) noexcept {
  map_pairs<int32_t>(a, b, out, region, floor_remainder);
}

}  // namespace thimble::runtime
