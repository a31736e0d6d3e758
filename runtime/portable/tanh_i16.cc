// SPDX-License-Identifier: Apache-2.0
#include "sigmoid.h"

namespace thimble::runtime {

void tanh_i16(const SigmoidParams& p, const View& x, const View& out,
              const Region& region) noexcept {
  map_elements<int16_t, int16_t>(x, out, region, [&p](int32_t value) {
    const int32_t at = scaled_argument(p, value);
    const auto found = static_cast<int32_t>(between_steps(p, magnitude(at), 8, 0xFFFFU << 8));
    const int32_t half = 1 << 23;
    const int32_t result = at >= 0 ? found - half + (1 << 7) : half - found + (1 << 7) - 1;
    return static_cast<int16_t>(result >> 8);
  });
}

}  // namespace thimble::runtime
