// SPDX-License-Identifier: Apache-2.0
#include "convolve.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {
namespace {

constexpr int32_t kFewChannels = 8;  // of the input, at most

// The four values at neighbouring pixels, times a weight for each output channel. pixel_step: of
// the accumulators; step, pitch: from one output channel to the next. Not inlined: the loop needs
// all the registers of the smaller cores.
[[gnu::noinline]] void add_to_four(int32_t* to, int32_t pixel_step, int32_t step, const Quad& x,
                                   const int8_t* w, int32_t pitch, int32_t count) noexcept {
  const Quad values = x;
  int32_t* second = to + pixel_step;
  int32_t* third = second + pixel_step;
  int32_t* fourth = third + pixel_step;
  for (int32_t at = 0; count > 0; --count, at += step, w += pitch) {
    const int32_t weight = *w;
    to[at] += values.sum[0] * weight;
    second[at] += values.sum[1] * weight;
    third[at] += values.sum[2] * weight;
    fourth[at] += values.sum[3] * weight;
  }
}

// A chunk of few input channels of a 1 x 1 window, at four neighbouring pixels: so few
// products are too little work for a sum of their own. All inputs are read before the first store,
// which may overwrite them.
void accumulate_few(const Conv2DParams& p, const View& x, const ConvolutionSite& site,
                    const View& accumulators, int32_t* to, const Region& region) noexcept {
  const int32_t first = region.begin[3];
  const int32_t count = region.end[3] - first;
  if (count == 0) return;
  const int32_t step = accumulators.stride[3];
  const int32_t pixel_step = accumulators.stride[2];
  const int32_t x_step = x.stride[2] * p.window.stride_w;
  Quad values[kFewChannels];
  const int8_t* from = site.single + site.begin_channel * x.stride[3];
  for (int32_t k = 0; k < site.channels; ++k, from += x.stride[3]) {
    values[k] = {from[0], from[x_step], from[2 * x_step], from[3 * x_step]};
  }
  to += first * step;
  if (site.begin_channel == 0) {
    for (int32_t k = 0; k < count; ++k) {
      const int32_t bias = p.bias[first + k];
      for (int32_t column = 0; column < 4; ++column) to[column * pixel_step + k * step] = bias;
    }
  }
  const int8_t* w = p.weights + first * site.pitch + site.begin_channel;
  for (int32_t k = 0; k < site.channels; ++k) {
    add_to_four(to, pixel_step, step, values[k], w + k, site.pitch, count);
  }
}

// Adds the chunk's products to the region's accumulators at one pixel.
void accumulate_pixel(const Conv2DParams& p, const View& x, const ConvolutionSite& site,
                      int32_t* to, int32_t step, const Region& region) noexcept {
  const bool first = site.begin_channel == 0;
  int32_t o = region.begin[3];
  while (o < region.end[3]) {
    const int32_t block = region.end[3] - o >= 4 ? 4 : 1;
    const int8_t* w = p.weights + o * site.pitch + site.begin_channel;
    int32_t* at = to + o * step;
    const int32_t* start = first ? p.bias + o : at;
    const int32_t start_step = first ? 1 : step;
    if (block == 4) {
      Quad quad{start[0], start[start_step], start[2 * start_step], start[3 * start_step]};
      add_window(quad, p, x, site, w);
      at[0] = quad.sum[0];
      at[step] = quad.sum[1];
      at[2 * step] = quad.sum[2];
      at[3 * step] = quad.sum[3];
    } else {
      int32_t sum = start[0];
      add_window(sum, p, x, site, w);
      at[0] = sum;
    }
    o += block;
  }
}

// Four pixels at a time at the columns `wide`.
void accumulate(const Conv2DParams& p, const View& x, const View& accumulators,
                const Region& region, ConvolutionSite& site, const Outputs& wide) noexcept {
  for (site.n = region.begin[0]; site.n < region.end[0]; ++site.n) {
    for (int32_t y = region.begin[1]; y < region.end[1]; ++y) {
      site.rows = rows_at(p.window, y);
      for (int32_t column = region.begin[2]; column < region.end[2]; ++column) {
        move_to_column(site, p, x, column);
        auto* to = pixel<int32_t>(accumulators, site.n, y, column);
        if (site.single != nullptr && column >= wide.begin && column + 4 <= wide.end) {
          accumulate_few(p, x, site, accumulators, to, region);
          column += 3;
        } else {
          accumulate_pixel(p, x, site, to, accumulators.stride[3], region);
        }
      }
    }
  }
}

}  // namespace

void conv_2d_accumulate(const Conv2DParams& p, const View& x, const View& accumulators,
                        const Region& region, int32_t begin_channel, int32_t end_channel) noexcept {
  if (begin_channel == end_channel) return;
  ConvolutionSite site = convolution_site(p, x, begin_channel, end_channel - begin_channel);
  if (site.channels > kFewChannels || x.modulus != 0 || accumulators.modulus != 0) {
    return accumulate(p, x, accumulators, region, site, {0, 0});
  }
  if (!rows_join(p.window, x, accumulators, region)) {
    return accumulate(p, x, accumulators, region, site, full_columns(p.window, region));
  }
  Conv2DParams joined = p;
  joined.window = join_rows(p.window);
  const Region row = join_rows(region, p.window.in_w);
  accumulate(joined, x, accumulators, row, site, {row.begin[2], row.end[2]});
}

}  // namespace thimble::runtime
