// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void minimum_f32(const View& a, const View& b, const View& out, const Region& region) noexcept {
  map_pairs<float>(a, b, out, region, [](float x, float y) { return x < y ? x : y; });
}

}  // namespace thimble::runtime
