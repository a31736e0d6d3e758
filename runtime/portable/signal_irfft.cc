// SPDX-License-Identifier: Apache-2.0
// The inverse of a real transform: the spectrum is joined to one of half the size, whose inverse
// (signal_transform.h) has the samples in pairs. Its elements are dealt out in the order of the
// last stage, each made from the two frequencies that mirror each other.
#include "signal_transform.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {
namespace {

/// Frequencies where they stand in the input.
struct Frequencies {
  const int16_t* data;
  int32_t step;
  Complex operator[](int32_t k) const noexcept {
    return {data[2 * k * step], data[(2 * k + 1) * step]};
  }
};

/// Element k of the transform of half the size.
Complex joined(const Frequencies& x, int32_t k, int32_t half, const Twiddles& twiddles) noexcept {
  if (k == 0) {
    const int16_t first = x[0].re, last = x[half].re;
    return share({wrap(first + last), wrap(first - last)}, 2);
  }
  const bool is_lower = k < half - k;
  const int32_t near = is_lower ? k : half - k;
  const Complex mirrored = x[half - near];
  const Complex a = share(x[near], 2), b = share({mirrored.re, wrap(-mirrored.im)}, 2);
  const Complex even = a + b, odd = (a - b) * twiddles[near - 1];
  if (is_lower) return even + odd;
  const Complex below = even - odd;
  return {below.re, wrap(-below.im)};
}

}  // namespace

void signal_irfft(const SignalRfftParams& p, const View& x, const View& out,
                  const Region& region) noexcept {
  if (region.begin[3] == region.end[3]) return;
  const int32_t half = p.size / 2;
  const Twiddles twiddles{p.twiddles}, first{p.twiddles + p.size};
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const Frequencies from{pixel<const int16_t>(x, n, y, column), x.stride[3]};
    const Spectrum samples{pixel<int16_t>(out, n, y, column), out.stride[3]};
    for (int32_t place = 0; place < half; ++place)
      samples.put(place, joined(from, dealt(place, half), half, first));
    transform<true>(samples, half, twiddles);
  });
}

}  // namespace thimble::runtime
