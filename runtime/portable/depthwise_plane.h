// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of one channel, four neighbouring outputs at a time: they share every load
// of the weights. No rings.
#pragma once

#include "quad.h"
#include "store_channels.h"
#include "tap_box.h"
#include "thimble_runtime/kernels.h"
#include "window.h"

namespace thimble::runtime {

/// Rows or columns of a channel. Outputs [begin, end) are computed; those of `full` read no
/// padding.
struct PlaneAxis {
  int32_t kernel, stride, dilation, pad, extent;
  int32_t begin, end;
  Outputs full;
  int32_t x_step, weights_step, out_step;  ///< elements from one index to the next
};

inline PlaneAxis plane_rows(const Window2D& w, const Region& region) noexcept {
  return {w.kernel_h,
          w.stride_h,
          w.dilation_h,
          w.pad_top,
          w.in_h,
          region.begin[1],
          region.end[1],
          full_rows(w, region),
          0,
          0,
          0};
}

inline PlaneAxis plane_columns(const Window2D& w, const Region& region) noexcept {
  return {w.kernel_w,
          w.stride_w,
          w.dilation_w,
          w.pad_left,
          w.in_w,
          region.begin[2],
          region.end[2],
          full_columns(w, region),
          0,
          0,
          0};
}

/// One channel of one image. Its four outputs side by side are neighbours along `inner`.
struct Plane {
  PlaneAxis outer, inner;
  int32_t channel;  ///< of the output
  const int8_t* x;
  int32_t x_at;           ///< from x to the input's (0, 0), which memory need not hold
  const int8_t* weights;  ///< the channel's first
  int8_t* out;            ///< output (outer.begin, inner.begin)
  bool copied;            ///< the input is not overwritten: outputs may be computed twice
};

/// Four outputs, whose inputs are `step` apart. Not inlined: the loop needs all the registers of
/// the smaller cores.
[[gnu::noinline]] inline void add_taps_of_four(Quad& sums, const int8_t* x, int32_t step,
                                               const int8_t* w, const TapBox& box) noexcept {
  Quad s = sums;
  const int32_t tap_step = box.tap_step;
  const int32_t weights_tap_step = box.weights_tap_step;
  for (int32_t row = 0; row < box.rows; ++row) {
    const int8_t* xt = x + row * box.row_step;
    const int8_t* wt = w + row * box.weights_row_step;
    for (int32_t k = box.columns; k > 0; --k, xt += tap_step, wt += weights_tap_step) {
      const int32_t weight = *wt;
      s.sum[0] += xt[0] * weight;
      s.sum[1] += xt[step] * weight;
      s.sum[2] += xt[2 * step] * weight;
      s.sum[3] += xt[3 * step] * weight;
    }
  }
  sums = s;
}

/// The outputs of one outer index, whose taps along that axis are `taps`. bias: of the model.
inline void convolve_line(const DepthwiseConv2DParams& p, const Plane& plane, const Taps& taps,
                          int32_t bias, int8_t* to) noexcept {
  const PlaneAxis& outer = plane.outer;
  const PlaneAxis& inner = plane.inner;
  TapBox box{taps.end - taps.begin,         inner.kernel,       outer.dilation * outer.x_step,
             inner.dilation * inner.x_step, outer.weights_step, inner.weights_step};
  const int32_t line = plane.x_at + (taps.origin + taps.begin * outer.dilation) * outer.x_step;
  const int8_t* w = plane.weights + taps.begin * outer.weights_step;
  const int32_t full_start = bias - p.input_zero_point * sum_of_weights(w, box);
  for (int32_t i = inner.begin; i < inner.end;) {
    if (plane.copied && i < inner.full.end && i > inner.full.end - 4 &&
        inner.full.end - inner.full.begin >= 4) {
      i = inner.full.end - 4;
    }
    Quad quad;
    int32_t count = 1;
    if (i >= inner.full.begin && i + 4 <= inner.full.end) {
      count = 4;
      box.columns = inner.kernel;
      quad = {full_start, full_start, full_start, full_start};
      add_taps_of_four(quad, plane.x + line + (i * inner.stride - inner.pad) * inner.x_step,
                       inner.stride * inner.x_step, w, box);
    } else {
      const Taps across =
          taps_at(i * inner.stride - inner.pad, inner.kernel, inner.dilation, inner.extent);
      const int32_t at = line + (across.origin + across.begin * inner.dilation) * inner.x_step;
      box.columns = across.end - across.begin;
      quad.sum[0] = bias + sum_of_differences(plane.x + at, p.input_zero_point,
                                              w + across.begin * inner.weights_step, box);
    }
    store_pixels(p, quad.sum, plane.channel, count, to + (i - inner.begin) * inner.out_step,
                 inner.out_step);
    i += count;
  }
}

inline void convolve_plane(const DepthwiseConv2DParams& p, const Plane& plane) noexcept {
  const PlaneAxis& outer = plane.outer;
  const TapBox all{outer.kernel,       plane.inner.kernel,      0, 0,
                   outer.weights_step, plane.inner.weights_step};
  const int32_t bias =
      p.bias[plane.channel] + p.input_zero_point * sum_of_weights(plane.weights, all);
  int8_t* to = plane.out;
  for (int32_t o = outer.begin; o < outer.end; ++o, to += outer.out_step) {
    convolve_line(p, plane,
                  taps_at(o * outer.stride - outer.pad, outer.kernel, outer.dilation, outer.extent),
                  bias, to);
  }
}

}  // namespace thimble::runtime
