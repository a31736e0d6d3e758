// SPDX-License-Identifier: Apache-2.0
#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void signal_window(const SignalWindowParams& p, const View& x, const View& weights, const View& out,
                   const Region& region) noexcept {
  map_pairs<int16_t>(x, weights, out, region, [shift = p.shift](int32_t sample, int32_t weight) {
    return static_cast<int16_t>(limit((sample * weight) >> shift, -32768, 32767));
  });
}

}  // namespace thimble::runtime
