// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

// The magnitude is kept in 16 bits, as in the original: -32768 has none, and stands for less than
// what comes behind it.
void signal_auto_shift(const SignalAutoShiftParams& p, const View& x, const View& out,
                       const Region& region) noexcept {
  if (region.begin[3] == region.end[3]) return;
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const int16_t* from = pixel<const int16_t>(x, n, y, column);
    int32_t most = 0;
    for (int32_t k = 0; k < p.samples; ++k, from += x.stride[3]) {
      const int32_t sample = *from;
      if (sample > most) {
        most = sample;
      } else if (-sample > most) {
        most = static_cast<int16_t>(-sample);
      }
    }
    int32_t shift = 0;
    if (most > 0) {
      while ((most << shift) < 0x4000) ++shift;
    }
    *first_channel<int32_t>(out, region, n, y, column) = shift;
  });
}

}  // namespace thimble::runtime
