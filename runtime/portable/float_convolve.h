// SPDX-License-Identifier: Apache-2.0
// Convolutions of float32, whatever their weights are made of.
#pragma once

#include "thimble_runtime/kernels.h"
#include "thimble_runtime/real_functions.h"
#include "walk.h"
#include "window.h"

namespace thimble::runtime {

/// One output pixel, and the taps of its window that lie inside the input.
struct FloatSite {
  int32_t n;
  Taps rows, columns;
};

/// Output channels o, o + 1, ..: each its own sum, in the order of the weights. They share the
/// search for each tap; of one group, they share the input. weight(k, w): of output channel o + k.
template <int32_t kChannels, bool kOneGroup, class Params, class Weight>
inline void convolve_channels(const Params& p, const View& x, const FloatSite& at, int32_t o,
                              float* to, int32_t step, Weight weight) noexcept {
  const Window2D& w = p.window;
  const int32_t depth = p.in_per_group, pitch = w.kernel_h * w.kernel_w * depth;
  float sums[unsigned{kChannels}] = {};
  int32_t first[unsigned{kChannels}];  // input channel
  for (int32_t k = 0; k < kChannels; ++k)
    first[k] = (o + k) / p.out_per_group * depth * x.stride[3];
  for (int32_t ky = at.rows.begin; ky < at.rows.end; ++ky) {
    for (int32_t kx = at.columns.begin; kx < at.columns.end; ++kx) {
      const auto* from = pixel<const float>(x, at.n, at.rows.origin + ky * w.dilation_h,
                                            at.columns.origin + kx * w.dilation_w);
      const auto* weights = p.weights + o * pitch + (ky * w.kernel_w + kx) * depth;
      for (int32_t c = 0; c < depth; ++c, from += x.stride[3]) {
#pragma GCC unroll 4
        for (int32_t k = 0; k < kChannels; ++k)
          sums[k] += from[first[kOneGroup ? 0 : k]] * weight(k, weights[k * pitch + c]);
      }
    }
  }
  for (int32_t k = 0; k < kChannels; ++k)
    to[k * step] = real::limited(sums[k] + p.bias[o + k], p.clamp_min, p.clamp_max);
}

/// Four channels at a time; convolve.channels<..>(..) does convolve_channels.
template <class Params, class Convolve>
inline void convolve_pixels(const Params& p, const View& out, const Region& region,
                            Convolve convolve) noexcept {
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const FloatSite at{n, rows_at(p.window, y), columns_at(p.window, column)};
    auto* to = pixel<float>(out, n, y, column) + region.begin[3] * out.stride[3];
    const int32_t step = out.stride[3];
    int32_t o = region.begin[3];
    for (; o + 4 <= region.end[3]; o += 4, to += 4 * step) {
      if (o / p.out_per_group == (o + 3) / p.out_per_group) {
        convolve.template channels<4, true>(at, o, to, step);
      } else {
        convolve.template channels<4, false>(at, o, to, step);
      }
    }
    for (; o < region.end[3]; ++o, to += step) convolve.template channels<1, true>(at, o, to, step);
  });
}

}  // namespace thimble::runtime
