// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void signal_subtraction(const SignalSubtractionParams& p, const View& x, const View& noise,
                        const View& out, const Region& region) noexcept {
  const SignalSubtractionParams q = p;
  map_pairs<uint32_t>(x, noise, out, region, [&q](uint32_t signal, uint32_t estimate) {
    const uint32_t scaled = signal << q.smoothing_bits;
    const uint32_t above = estimate < scaled ? (scaled - estimate) >> q.smoothing_bits : 0;
    const auto least = static_cast<uint32_t>(
        (uint64_t{signal} * static_cast<uint32_t>(q.min_signal_remaining)) >> q.bits);
    return above > least ? above : least;
  });
}

}  // namespace thimble::runtime
