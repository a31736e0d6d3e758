// SPDX-License-Identifier: Apache-2.0
#include "rounded_number.h"
#include "window.h"

namespace thimble::runtime {
namespace {

// The sum of the numbers of one channel's taps, by rows; c: its element's place in a pixel.
float sum_of_taps(const NumberPoolParams& p, const View& x, int32_t n, const Taps& rows,
                  const Taps& columns, int32_t c) noexcept {
  const Window2D& w = p.window;
  const int32_t step = x.stride[2] * w.dilation_w;
  const float scale = p.scale;
  const int32_t zero_point = p.zero_point;
  float sum = 0;
  for (int32_t ky = rows.begin; ky < rows.end; ++ky) {
    const int8_t* from = nullptr;
    for (int32_t kx = columns.begin; kx < columns.end; ++kx, from += step) {
      if (kx == columns.begin || x.modulus != 0)
        from = pixel<const int8_t>(x, n, rows.origin + ky * w.dilation_h,
                                   columns.origin + kx * w.dilation_w) +
               c;
      sum += static_cast<float>(*from - zero_point) * scale;
    }
  }
  return sum;
}

}  // namespace

void average_pool_2d_to_even(const NumberPoolParams& p, const View& x, const View& out,
                             const Region& region) noexcept {
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const Taps rows = rows_at(p.window, y), columns = columns_at(p.window, column);
    const auto count = static_cast<float>((rows.end - rows.begin) * (columns.end - columns.begin));
    auto* to = pixel<int8_t>(out, n, y, column);
    for (int32_t c = region.begin[3]; c < region.end[3]; ++c) {
      const float sum = sum_of_taps(p, x, n, rows, columns, c * x.stride[3]);
      to[c * out.stride[3]] = rounded_number(sum / count, p.output_scale, p.output_zero_point,
                                             p.clamp_min, p.clamp_max);
    }
  });
}

}  // namespace thimble::runtime
