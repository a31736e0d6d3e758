// SPDX-License-Identifier: Apache-2.0
#include "../portable/max_of_boxes.h"
#include "simd32.h"

namespace thimble::runtime {
namespace {

// Four bytes of one value.
uint32_t four_of(int32_t value) noexcept { return static_cast<uint8_t>(value) * 0x01010101U; }

void store_4(int8_t* to, uint32_t word) noexcept { __builtin_memcpy(to, &word, sizeof(word)); }

// Eight channels at a time; the last eight meet some of those before.
[[gnu::noinline]] void max_of_eights(const MaxOfBox& b) noexcept {
  if (b.channels < 8) {
    for (int32_t c = 0; c < b.channels; ++c) b.to[c] = max_of_channel(b, c);
    return;
  }
  const uint32_t least = four_of(b.clamp_min), most = four_of(b.clamp_max);
  const int32_t step = b.box.column_step;
  for (int32_t begin = 0; begin < b.channels; begin += 8) {
    const int32_t c = begin + 8 <= b.channels ? begin : b.channels - 8;
    const int8_t* from = b.box.from + c;
    uint32_t low = least, high = least;
    for (int32_t row = 0; row < b.box.rows; ++row, from += b.box.next_row) {
      for (int32_t left = b.box.columns; left > 0; --left, from += step) {
        low = max_of_bytes(low, load_4(from));
        high = max_of_bytes(high, load_4(from + 4));
      }
    }
    store_4(b.to + c, min_of_bytes(low, most));
    store_4(b.to + c + 4, min_of_bytes(high, most));
  }
}

}  // namespace

void max_pool_2d_dsp(const Pool2DParams& p, const View& x, const View& out,
                     const Region& region) noexcept {
  max_of_boxes<max_of_eights>(p, x, out, region);
}

}  // namespace thimble::runtime
