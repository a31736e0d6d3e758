// SPDX-License-Identifier: Apache-2.0
// Means and average pools of instruction sets that sum eight channels of a box of pixels at a time.
#pragma once

#include <stdint.h>

#include "mean.h"
#include "pool.h"
#include "walk.h"

namespace thimble::runtime {

struct PixelBox {
  const int8_t* from;  ///< channels are neighbours
  int32_t rows, columns;
  int32_t next_row;  ///< from behind a row's last column to the next row
  int32_t column_step;
};

/// sums[k] = sum of channel k, of eight.
using SumEightChannels = void(const PixelBox&, int32_t* sums) noexcept;

/// visit(channel, sum) for each of `channels`; some of them twice.
template <SumEightChannels kSum, class Visit>
inline void sum_channels(PixelBox box, int32_t channels, Visit visit) noexcept {
  const int8_t* const first = box.from;
  const int32_t row_step = box.columns * box.column_step + box.next_row;
  if (channels < 8) {
    for (int32_t c = 0; c < channels; ++c) {
      int32_t sum = 0;
      for (int32_t row = 0; row < box.rows; ++row) {
        for (int32_t k = 0; k < box.columns; ++k)
          sum += first[row * row_step + k * box.column_step + c];
      }
      visit(c, sum);
    }
    return;
  }
  if (box.next_row == 0) {  // one long row
    box.columns *= box.rows;
    box.rows = 1;
  }
  for (int32_t c = 0; c < channels; c += 8) {
    const int32_t begin = c + 8 <= channels ? c : channels - 8;
    alignas(8) int32_t sums[8];
    box.from = first + begin;
    kSum(box, sums);
    for (int32_t k = 0; k < 8; ++k) visit(begin + k, sums[k]);
  }
}

/// Over rows, columns or both. Channels of x are neighbours; no ring.
template <SumEightChannels kSum>
inline void mean_of_boxes(const MeanParams& p, const View& x, const View& out,
                          const Region& region) noexcept {
  const int32_t count = count_of(p);
  const int32_t rows = p.reduced[1] != 0 ? p.in_extent[1] : 1;
  const int32_t columns = p.reduced[2] != 0 ? p.in_extent[2] : 1;
  const int32_t begin = region.begin[3];
  for_each_pixel(
      region, [&](int32_t n, int32_t y, int32_t column) __attribute__((cold)) {
        auto* const to = pixel<int8_t>(out, n, y, column) + begin * out.stride[3];
        const auto* const from =
            pixel<const int8_t>(x, n, rows > 1 ? 0 : y, columns > 1 ? 0 : column) + begin;
        sum_channels<kSum>({from, rows, columns, x.stride[1] - columns * x.stride[2], x.stride[2]},
                           region.end[3] - begin, [&](int32_t c, int32_t sum) {
                             to[c * out.stride[3]] = mean_of(p, sum, count);
                           });
      });
}

/// visit(box, to): the window's pixels inside x and the output pixel, from the region's first
/// channel on. Channels of x are neighbours; no ring.
template <class Visit>
inline void each_box(const Window2D& w, const View& x, const View& out, const Region& region,
                     Visit visit) noexcept {
  const int32_t begin = region.begin[3];
  const int32_t row_step = w.dilation_h * x.stride[1];
  const int32_t step = w.dilation_w * x.stride[2];
  for (int32_t n = region.begin[0]; n < region.end[0]; ++n) {
    for (int32_t y = region.begin[1]; y < region.end[1]; ++y) {
      const Taps rows = rows_at(w, y);
      const int32_t top = rows.origin + rows.begin * w.dilation_h;
      for (int32_t column = region.begin[2]; column < region.end[2]; ++column) {
        const Taps columns = columns_at(w, column);
        const int32_t left = columns.origin + columns.begin * w.dilation_w;
        const int32_t width = columns.end - columns.begin;
        visit(PixelBox{pixel<const int8_t>(x, n, top, left) + begin, rows.end - rows.begin, width,
                       row_step - width * step, step},
              pixel<int8_t>(out, n, y, column) + begin * out.stride[3]);
      }
    }
  }
}

/// Channels of x are neighbours; no ring.
template <SumEightChannels kSum>
inline void average_boxes(const Pool2DParams& p, const View& x, const View& out,
                          const Region& region) noexcept {
  each_box(p.window, x, out, region, [&](const PixelBox& box, int8_t* to) {
    const int32_t count = box.rows * box.columns;
    sum_channels<kSum>(box, region.end[3] - region.begin[3], [&](int32_t c, int32_t sum) {
      const int32_t average = average_of(sum, count);
      to[c * out.stride[3]] = static_cast<int8_t>(limit(average, p.clamp_min, p.clamp_max));
    });
  });
}

}  // namespace thimble::runtime
