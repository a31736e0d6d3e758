// SPDX-License-Identifier: Apache-2.0
#include "unfolded_sum.h"
#include "walk.h"
#include "window.h"

namespace thimble::runtime {
namespace {

// Products are below 2^23: so many fit 32 bits.
constexpr int32_t kMostAtOnce = 256;

int64_t products(const int16_t* x, int32_t step, const int8_t* w, int32_t count) noexcept {
  int64_t sum = 0;
  while (count > 0) {
    const int32_t part = count < kMostAtOnce ? count : kMostAtOnce;
    int32_t s = 0;
    for (int32_t k = 0; k < part; ++k, x += step) s += *x * w[k];
    sum += s;
    w += part;
    count -= part;
  }
  return sum;
}

}  // namespace

void conv_2d_i16(const UnfoldedConv2DParams& p, const View& x, const View& out,
                 const Region& region) noexcept {
  const Window2D& w = p.window;
  const int32_t pitch = w.kernel_h * w.kernel_w * p.in_per_group;
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const Taps rows = rows_at(w, y);
    const Taps columns = columns_at(w, column);
    auto* to = pixel<int16_t>(out, n, y, column);
    for (int32_t o = region.begin[3]; o < region.end[3]; ++o) {
      const int32_t first = o / p.out_per_group * p.in_per_group;
      int64_t sum = unfolded_bias(p, o);
      for (int32_t ky = rows.begin; ky < rows.end; ++ky) {
        for (int32_t kx = columns.begin; kx < columns.end; ++kx) {
          const auto* from = pixel<const int16_t>(x, n, rows.origin + ky * w.dilation_h,
                                                  columns.origin + kx * w.dilation_w);
          const int32_t tap = (ky * w.kernel_w + kx) * p.in_per_group;
          sum += products(from + first * x.stride[3], x.stride[3], p.weights + o * pitch + tap,
                          p.in_per_group);
        }
      }
      to[o * out.stride[3]] = static_cast<int16_t>(finished(p, sum, o));
    }
  });
}

}  // namespace thimble::runtime
