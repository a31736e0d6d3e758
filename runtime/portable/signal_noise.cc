// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void signal_noise(const SignalNoiseParams& p, const View& x, const View& before, const View& out,
                  const Region& region) noexcept {
  if (region.begin[3] == region.end[3]) return;
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const uint32_t* signal = first_channel<const uint32_t>(x, region, n, y, column);
    const uint32_t* old = first_channel<const uint32_t>(before, region, n, y, column);
    uint32_t* to = first_channel<uint32_t>(out, region, n, y, column);
    for (int32_t c = region.begin[3]; c < region.end[3]; ++c) {
      const uint32_t scaled = *signal << p.smoothing_bits;
      const uint64_t sum = uint64_t{scaled} * static_cast<uint32_t>(p.smoothing[c & 1]) +
                           uint64_t{*old} * static_cast<uint32_t>(p.one_minus_smoothing[c & 1]);
      const auto estimate = static_cast<uint32_t>(sum >> p.bits);
      *to = p.clamping != 0 && estimate > scaled ? scaled : estimate;
      signal += x.stride[3];
      old += before.stride[3];
      to += out.stride[3];
    }
  });
}

}  // namespace thimble::runtime
