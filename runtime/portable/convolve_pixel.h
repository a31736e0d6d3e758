// SPDX-License-Identifier: Apache-2.0
// A convolution pixel by pixel, four output channels at a time. `Weights` is a place among them
// that moves on by so many, and weights_at() gives one by its number: a pointer to int8, or Nibbles
// (nibbles.h).
#pragma once

#include "convolve.h"
#include "store_channels.h"

namespace thimble::runtime {

inline const int8_t* weights_at(const Conv2DParams& p, int32_t at, const int8_t*) noexcept {
  return p.weights + at;
}

/// The region's output channels at one pixel.
template <class Weights>
static void convolve_pixel(const Conv2DParams& p, const View& x, ConvolutionSite& site, int8_t* to,
                           int32_t step, const Region& region) noexcept {
  int32_t o = region.begin[3];
  int32_t group = o / p.out_per_group;
  while (o < region.end[3]) {
    const int32_t group_end = (group + 1) * p.out_per_group;
    const int32_t end = group_end < region.end[3] ? group_end : region.end[3];
    site.begin_channel = group * p.in_per_group;
    Weights w = weights_at(p, o * site.pitch, Weights{});
    for (; o + 4 <= end; o += 4, w += 4 * site.pitch) {
      Quad quad{p.bias[o], p.bias[o + 1], p.bias[o + 2], p.bias[o + 3]};
      add_window(quad, p, x, site, w);
      store_channels(p, quad.sum, o, 4, to + o * step, step);
    }
    for (; o < end; ++o, w += site.pitch) {
      int32_t sum = p.bias[o];
      add_window(sum, p, x, site, w);
      store_channels(p, &sum, o, 1, to + o * step, step);
    }
    ++group;
  }
}

}  // namespace thimble::runtime
