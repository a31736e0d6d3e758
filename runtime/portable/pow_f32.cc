// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "thimble_runtime/real_functions.h"
#include "walk.h"

namespace thimble::runtime {

void pow_f32(const View& a, const View& b, const View& out, const Region& region) noexcept {
  map_pairs<float>(a, b, out, region, real::pow);
}

}  // namespace thimble::runtime
