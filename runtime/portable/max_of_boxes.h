// SPDX-License-Identifier: Apache-2.0
// Max pooling of instruction sets that compare several channels of a box of pixels at a time.
#pragma once

#include <stdint.h>

#include "fixed_point.h"
#include "pixel_box.h"

namespace thimble::runtime {

/// to[c] = the most of channel c, within the clamp.
struct MaxOfBox {
  PixelBox box;
  int8_t* to;
  int32_t channels;  ///< at least 1; neighbours in both
  int32_t clamp_min, clamp_max;
};

/// One channel.
inline int8_t max_of_channel(const MaxOfBox& b, int32_t c) noexcept {
  int32_t most = b.clamp_min;
  const int8_t* from = b.box.from + c;
  for (int32_t row = 0; row < b.box.rows; ++row, from += b.box.next_row) {
    for (int32_t k = 0; k < b.box.columns; ++k, from += b.box.column_step)
      most = *from > most ? *from : most;
  }
  return static_cast<int8_t>(most < b.clamp_max ? most : b.clamp_max);
}

/// Channels of x and of out are neighbours; no ring.
template <void kMax(const MaxOfBox&) noexcept>
inline void max_of_boxes(const Pool2DParams& p, const View& x, const View& out,
                         const Region& region) noexcept {
  const int32_t channels = region.end[3] - region.begin[3];
  if (channels == 0) return;
  each_box(p.window, x, out, region, [&](PixelBox box, int8_t* to) {
    if (box.next_row == 0) {  // one long row
      box.columns *= box.rows;
      box.rows = 1;
    }
    kMax({box, to, channels, p.clamp_min, p.clamp_max});
  });
}

}  // namespace thimble::runtime
