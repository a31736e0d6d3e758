// SPDX-License-Identifier: Apache-2.0
#include "unfolded_sum.h"
#include "walk.h"
#include "window.h"

namespace thimble::runtime {
namespace {

constexpr int32_t kChannelsAtOnce = 4;  // they share the search for each tap

// Both less their zero points. Of depthwise convolutions, a single channel.
inline int32_t products(const UnfoldedConv2DParams& p, const int8_t* x, int32_t step,
                        const int8_t* w) noexcept {
  int32_t sum = 0;
  for (int32_t k = 0; k < p.in_per_group; ++k, x += step)
    sum += (*x - p.input_zero_point) * (w[k] - p.weights_zero_point);
  return sum;
}

// One output pixel.
struct OffsetSite {
  int32_t n;
  Taps rows, columns;
};

// The sums of output channels [o, o + count).
void add_window(const UnfoldedConv2DParams& p, const View& x, const OffsetSite& site, int32_t o,
                int32_t count, int32_t* sums) noexcept {
  const Window2D& w = p.window;
  const int32_t pitch = w.kernel_h * w.kernel_w * p.in_per_group;
  int32_t first[kChannelsAtOnce];
  for (int32_t k = 0; k < count; ++k)
    first[k] = (o + k) / p.out_per_group * p.in_per_group * x.stride[3];
  for (int32_t ky = site.rows.begin; ky < site.rows.end; ++ky) {
    for (int32_t kx = site.columns.begin; kx < site.columns.end; ++kx) {
      const auto* from = pixel<const int8_t>(x, site.n, site.rows.origin + ky * w.dilation_h,
                                             site.columns.origin + kx * w.dilation_w);
      const int8_t* weights = p.weights + o * pitch + (ky * w.kernel_w + kx) * p.in_per_group;
      for (int32_t k = 0; k < count; ++k, weights += pitch)
        sums[k] += products(p, from + first[k], x.stride[3], weights);
    }
  }
}

}  // namespace

void conv_2d_offset(const UnfoldedConv2DParams& p, const View& x, const View& out,
                    const Region& region) noexcept {
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const OffsetSite site{n, rows_at(p.window, y), columns_at(p.window, column)};
    auto* to = pixel<int8_t>(out, n, y, column);
    for (int32_t o = region.begin[3]; o < region.end[3]; o += kChannelsAtOnce) {
      const int32_t left = region.end[3] - o;
      const int32_t count = left < kChannelsAtOnce ? left : kChannelsAtOnce;
      int32_t sums[kChannelsAtOnce];
      for (int32_t k = 0; k < count; ++k) sums[k] = p.bias[2 * (o + k)];
      add_window(p, x, site, o, count, sums);
      for (int32_t k = 0; k < count; ++k)
        to[(o + k) * out.stride[3]] = static_cast<int8_t>(finished(p, sums[k], o + k));
    }
  });
}

}  // namespace thimble::runtime
