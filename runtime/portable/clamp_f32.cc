// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "thimble_runtime/real_functions.h"
#include "walk.h"

namespace thimble::runtime {

void clamp_f32(const FloatClampParams& p, const View& x, const View& out,
               const Region& region) noexcept {
  const FloatClampParams q = p;  // a copy that stores cannot alias
  map_elements<float, float>(
      x, out, region, [q](float value) { return real::limited(value, q.clamp_min, q.clamp_max); });
}

}  // namespace thimble::runtime
