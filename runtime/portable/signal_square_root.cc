// SPDX-License-Identifier: Apache-2.0
#include "signal_pairs.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {
namespace {

/// Digit by digit; rounded to the nearest, but not beyond half of the bits.
template <class Number>
inline uint32_t square_root(Number x) noexcept {
  Number root = 0, bit = Number{1} << (8 * sizeof(Number) - 2);
  while (bit > x) bit >>= 2;
  for (; bit != 0; bit >>= 2) {
    if (x >= root + bit) {
      x -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
  }
  constexpr Number kMost = (Number{1} << (4 * sizeof(Number))) - 1;
  return static_cast<uint32_t>(x > root && root != kMost ? root + 1 : root);
}

}  // namespace

void signal_square_root(const View& x, const View& shift, const View& out,
                        const Region& region) noexcept {
  map_unlike_pairs<uint64_t, int32_t, uint32_t>(
      x, shift, out, region, [](uint64_t value, int32_t bits) {
        const uint32_t root =
            value >> 32 == 0 ? square_root(static_cast<uint32_t>(value)) : square_root(value);
        return root >> (bits & 31);
      });
}

}  // namespace thimble::runtime
