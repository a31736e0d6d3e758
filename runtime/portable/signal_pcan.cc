// SPDX-License-Identifier: Apache-2.0
#include "signal_bits.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {
namespace {

constexpr int32_t kSnrBits = 12, kOutputBits = 6;

/// A parabola for each power of two, over 10 bits.
inline int16_t gain_of(const int16_t* gains, uint32_t noise) noexcept {
  if (noise <= 2) return gains[noise];
  const int32_t width = bit_width(noise);
  const int16_t* const piece = gains + 4 * width - 6;
  const auto position =
      static_cast<int32_t>((width < 11 ? noise << (11 - width) : noise >> (width - 11)) & 0x3FF);
  const int32_t slope =
      ((piece[2] * position) >> 5) + static_cast<int32_t>(static_cast<uint32_t>(piece[1]) << 5);
  const uint32_t rise =
      static_cast<uint32_t>(slope) * static_cast<uint32_t>(position) + (uint32_t{1} << 14);
  return static_cast<int16_t>((static_cast<int32_t>(rise) >> 15) + piece[0]);
}

/// x^2 / 4 below 2, x - 1 above.
inline uint32_t shrunk(uint32_t x) noexcept {
  if (x < uint32_t{2} << kSnrBits) return (x * x) >> (2 + 2 * kSnrBits - kOutputBits);
  return (x >> (kSnrBits - kOutputBits)) - (uint32_t{1} << kOutputBits);
}

}  // namespace

void signal_pcan(const SignalPcanParams& p, const View& x, const View& noise, const View& out,
                 const Region& region) noexcept {
  const SignalPcanParams q = p;
  map_pairs<uint32_t>(x, noise, out, region, [&q](uint32_t signal, uint32_t estimate) {
    const auto gain = static_cast<uint32_t>(int32_t{gain_of(q.gains, estimate)});
    return shrunk(static_cast<uint32_t>((uint64_t{signal} * gain) >> q.shift));
  });
}

}  // namespace thimble::runtime
