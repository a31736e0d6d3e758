// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/real_functions.h"
#include "transpose_conv.h"

namespace thimble::runtime {
namespace {

/// Taps of one axis from the last on, whose input comes first.
int32_t count_of_taps(const BackwardTaps& taps, int32_t stride) noexcept {
  return taps.first < taps.end ? (taps.end - taps.first + stride - 1) / stride : 0;
}

}  // namespace

void transpose_conv_f32(const FloatConv2DParams& p, const View& x, const View& out,
                        const Region& region) noexcept {
  const Window2D& w = p.window;
  const int32_t channels = p.in_per_group;
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const BackwardTaps rows = backward_taps(y, w.pad_top, w.kernel_h, w.stride_h, w.in_h);
    const BackwardTaps columns = backward_taps(column, w.pad_left, w.kernel_w, w.stride_w, w.in_w);
    auto* to = pixel<float>(out, n, y, column);
    for (int32_t o = region.begin[3]; o < region.end[3]; ++o) {
      float sum = 0;
      for (int32_t j = count_of_taps(rows, w.stride_h); j-- > 0;) {
        const int32_t ky = rows.first + j * w.stride_h;
        for (int32_t i = count_of_taps(columns, w.stride_w); i-- > 0;) {
          const int32_t kx = columns.first + i * w.stride_w;
          const auto* from = pixel<const float>(x, n, rows.at - j, columns.at - i);
          const float* weights = p.weights + ((o * w.kernel_h + ky) * w.kernel_w + kx) * channels;
          for (int32_t c = 0; c < channels; ++c) sum += from[c * x.stride[3]] * weights[c];
        }
      }
      to[o * out.stride[3]] = real::limited(sum + p.bias[o], p.clamp_min, p.clamp_max);
    }
  });
}

}  // namespace thimble::runtime
