// SPDX-License-Identifier: Apache-2.0
#include "signal_bits.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {
namespace {

constexpr int32_t kFractionBits = 16, kSegmentBits = 7;
constexpr uint32_t kHalf = 1 << (kFractionBits - 1);
constexpr uint32_t kLn2 = 45426;

/// log2, with 16 bits of fraction: along the chord, and what the table has above it.
inline uint32_t binary_logarithm(const int16_t* table, uint32_t x) noexcept {
  const int32_t whole = bit_width(x) - 1;
  const uint32_t rest = x - (uint32_t{1} << whole);
  const auto fraction = static_cast<int32_t>(
      whole < kFractionBits ? rest << (kFractionBits - whole) : rest >> (whole - kFractionBits));
  const int32_t segment = fraction >> (kFractionBits - kSegmentBits);
  const int32_t position = fraction - (segment << (kFractionBits - kSegmentBits));
  const int32_t low = table[segment], high = table[segment + 1];
  const int32_t between = ((high - low) * position) >> kFractionBits;
  return (static_cast<uint32_t>(whole) << kFractionBits) +
         static_cast<uint32_t>(fraction + low + between);
}

}  // namespace

void signal_log(const SignalLogParams& p, const View& x, const View& out,
                const Region& region) noexcept {
  const SignalLogParams q = p;
  map_elements<uint32_t, int16_t>(x, out, region, [&q](uint32_t value) -> int16_t {
    const uint32_t shifted = value << q.correction_bits;
    if (shifted <= 1) return 0;
    const uint64_t product = uint64_t{kLn2} * binary_logarithm(q.table, shifted) + kHalf;
    const auto natural = static_cast<uint32_t>(product >> kFractionBits);
    const uint32_t scaled = (static_cast<uint32_t>(q.scale) * natural + kHalf) >> kFractionBits;
    return static_cast<int16_t>(scaled < 32767 ? scaled : 32767);
  });
}

}  // namespace thimble::runtime
