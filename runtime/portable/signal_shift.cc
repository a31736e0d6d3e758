// SPDX-License-Identifier: Apache-2.0
#include "signal_pairs.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {

void signal_shift(const View& x, const View& shift, const View& out,
                  const Region& region) noexcept {
  map_unlike_pairs<int16_t, int32_t, int16_t>(
      x, shift, out, region, [](int16_t sample, int32_t bits) {
        return static_cast<int16_t>(static_cast<uint32_t>(sample) << (bits & 31));
      });
}

}  // namespace thimble::runtime
