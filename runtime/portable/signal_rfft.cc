// SPDX-License-Identifier: Apache-2.0
// A real transform as a complex one of half the size (signal_transform.h). It is made in place: the
// samples are dealt out in the order of the last stage, and the last step, which takes the two
// halves of a real spectrum apart, reads a pair before it writes it.
#include "signal_transform.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {
namespace {

/// From the spectrum of the samples as complex numbers to that of the real ones.
void take_apart(const Spectrum& s, int32_t half, const Twiddles& twiddles) noexcept {
  const Complex first = share(s.get(0), 2);
  s.put(0, {wrap(first.re + first.im), 0});
  s.put(half, {wrap(first.re - first.im), 0});
  for (int32_t k = 1; k <= half / 2; ++k) {
    const Complex mirrored = s.get(half - k);
    const Complex a = share(s.get(k), 2);
    const Complex b = share({mirrored.re, wrap(-mirrored.im)}, 2);
    const Complex sum = a + b, turned = (a - b) * twiddles[k - 1];
    s.put(k, {wrap((sum.re + turned.re) >> 1), wrap((sum.im + turned.im) >> 1)});
    s.put(half - k, {wrap((sum.re - turned.re) >> 1), wrap((turned.im - sum.im) >> 1)});
  }
}

}  // namespace

void signal_rfft(const SignalRfftParams& p, const View& x, const View& out,
                 const Region& region) noexcept {
  if (region.begin[3] == region.end[3]) return;
  const int32_t half = p.size / 2;
  const Twiddles twiddles{p.twiddles}, last{p.twiddles + p.size};
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const int16_t* const from = pixel<const int16_t>(x, n, y, column);
    const Spectrum spectrum{pixel<int16_t>(out, n, y, column), out.stride[3]};
    const auto sample = [&](int32_t k) -> int16_t {
      return k < p.samples ? from[k * x.stride[3]] : int16_t{0};
    };
    for (int32_t place = 0; place < half; ++place) {
      const int32_t k = 2 * dealt(place, half);
      spectrum.put(place, {sample(k), sample(k + 1)});
    }
    transform<false>(spectrum, half, twiddles);
    take_apart(spectrum, half, last);
  });
}

}  // namespace thimble::runtime
