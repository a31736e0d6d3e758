// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "thimble_runtime/real_functions.h"
#include "walk.h"

namespace thimble::runtime {

void div_f32(const FloatClampParams& p, const View& a, const View& b, const View& out,
             const Region& region) noexcept {
  const FloatClampParams q = p;  // a copy that stores cannot alias
  map_pairs<float>(a, b, out, region, [q](float x, float y) {
    return real::limited(x / y, q.clamp_min, q.clamp_max);
  });
}

}  // namespace thimble::runtime
