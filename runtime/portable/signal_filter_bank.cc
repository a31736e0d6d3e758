// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {
namespace {

/// A band of one channel's sum: its energies with their weights.
inline uint64_t band_sum(const int16_t* band, const int16_t* weights, const uint32_t* energies,
                         int32_t step) noexcept {
  const uint32_t* energy = energies + band[0] * step;
  const int16_t* weight = weights + band[1];
  uint64_t sum = 0;
  for (int32_t k = 0; k < band[2]; ++k, energy += step)
    sum += static_cast<uint64_t>(int64_t{weight[k]} * *energy);
  return sum;
}

}  // namespace

void signal_filter_bank(const SignalFilterBankParams& p, const View& x, const View& out,
                        const Region& region) noexcept {
  if (region.begin[3] == region.end[3]) return;
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const uint32_t* const energies = pixel<const uint32_t>(x, n, y, column);
    uint64_t* to = first_channel<uint64_t>(out, region, n, y, column);
    for (int32_t c = region.begin[3]; c < region.end[3]; ++c, to += out.stride[3]) {
      const int16_t* const band = p.bands + 3 * c;
      *to = band_sum(band, p.unweights, energies, x.stride[3]) +
            band_sum(band + 3, p.weights, energies, x.stride[3]);
    }
  });
}

}  // namespace thimble::runtime
