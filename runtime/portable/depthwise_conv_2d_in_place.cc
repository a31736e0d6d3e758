// SPDX-License-Identifier: Apache-2.0
#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "window.h"

namespace thimble::runtime {
namespace {

// One channel of the input, copied out before the first of its elements is overwritten.
void copy_plane(const Window2D& w, const View& x, int32_t n, int32_t channel,
                int8_t* plane) noexcept {
  for (int32_t y = 0; y < w.in_h; ++y) {
    const auto* from = pixel<const int8_t>(x, n, y, 0) + channel * x.stride[3];
    for (int32_t column = 0; column < w.in_w; ++column, from += x.stride[2]) *plane++ = *from;
  }
}

// The products of the taps inside, of one channel.
int32_t inside_sum(const DepthwiseConv2DParams& p, const int8_t* plane, const Taps& rows,
                   const Taps& columns, const int8_t* weights) noexcept {
  const Window2D& window = p.window;
  const int32_t pitch = p.out_channels;
  const int32_t step = window.dilation_w;
  int32_t sum = 0;
  for (int32_t ky = rows.begin; ky < rows.end; ++ky) {
    const int32_t y = rows.origin + ky * window.dilation_h;
    const int8_t* x = plane + y * window.in_w + columns.origin + columns.begin * step;
    const int8_t* w = weights + (ky * window.kernel_w + columns.begin) * pitch;
    for (int32_t k = columns.end - columns.begin; k > 0; --k, x += step, w += pitch) sum += *x * *w;
  }
  return sum;
}

// The weights of the taps that are padding.
int32_t padding_sum(const DepthwiseConv2DParams& p, const Taps& rows, const Taps& columns,
                    const int8_t* w) noexcept {
  int32_t sum = 0;
  for (int32_t ky = 0; ky < p.window.kernel_h; ++ky) {
    for (int32_t kx = 0; kx < p.window.kernel_w; ++kx, w += p.out_channels) {
      if (!inside(rows, ky) || !inside(columns, kx)) sum += *w;
    }
  }
  return sum;
}

int32_t window_sum(const DepthwiseConv2DParams& p, const int8_t* plane, const Taps& rows,
                   const Taps& columns, int32_t channel) noexcept {
  const int8_t* w = p.weights + channel;
  const bool clipped = rows.end - rows.begin != p.window.kernel_h ||
                       columns.end - columns.begin != p.window.kernel_w;
  int32_t sum = p.bias[channel] + inside_sum(p, plane, rows, columns, w);
  if (clipped) sum += p.input_zero_point * padding_sum(p, rows, columns, w);
  return sum;
}

}  // namespace

void depthwise_conv_2d_in_place(const DepthwiseConv2DParams& p, const View& x, const View& out,
                                const Region& region, int8_t* scratch) noexcept {
  for (int32_t n = region.begin[0]; n < region.end[0]; ++n) {
    for (int32_t c = region.begin[3]; c < region.end[3]; ++c) {
      copy_plane(p.window, x, n, c, scratch);
      const int32_t multiplier = p.scales.multipliers[c];
      const int8_t shift = p.scales.shifts[c];
      for (int32_t y = region.begin[1]; y < region.end[1]; ++y) {
        const Taps rows = rows_at(p.window, y);
        for (int32_t column = region.begin[2]; column < region.end[2]; ++column) {
          const Taps columns = columns_at(p.window, column);
          const int32_t sum = window_sum(p, scratch, rows, columns, c);
          const int32_t scaled = requantise(sum, multiplier, shift) + p.output_zero_point;
          pixel<int8_t>(out, n, y, column)[c * out.stride[3]] =
              static_cast<int8_t>(limit(scaled, p.clamp_min, p.clamp_max));
        }
      }
    }
  }
}

}  // namespace thimble::runtime
