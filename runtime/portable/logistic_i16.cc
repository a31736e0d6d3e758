// SPDX-License-Identifier: Apache-2.0
#include "sigmoid.h"

namespace thimble::runtime {

void logistic_i16(const SigmoidParams& p, const View& x, const View& out,
                  const Region& region) noexcept {
  map_elements<int16_t, int16_t>(x, out, region, [&p](int32_t value) {
    const int32_t at = scaled_argument(p, value);
    const uint32_t found = between_steps(p, magnitude(at), 9, 0x7FFFU << 10);
    const uint32_t result = at >= 0 ? found + (1U << 9) : (1U << 25) - found + (1U << 9) - 1;
    return static_cast<int16_t>(result >> 10);
  });
}

}  // namespace thimble::runtime
