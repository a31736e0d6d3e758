// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void prelu_f32(const View& x, const View& alpha, const View& out, const Region& region) noexcept {
  map_pairs<float>(x, alpha, out, region,
                   [](float value, float slope) { return value >= 0 ? value : value * slope; });
}

}  // namespace thimble::runtime
