// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void leaky_relu_f32(const FloatLeakyReluParams& p, const View& x, const View& out,
                    const Region& region) noexcept {
  const float alpha = p.alpha;
  map_elements<float, float>(x, out, region,
                             [alpha](float value) { return value >= 0 ? value : value * alpha; });
}

}  // namespace thimble::runtime
