// SPDX-License-Identifier: Apache-2.0
// A transposed convolution of int8, four output channels at a time: these share every load of an
// input.
#pragma once

#include "transpose_conv.h"

namespace thimble::runtime {

/// add_rows(sums, from, offset, rows, between, count): adds the products of so many inputs and
/// offset with each of four rows of weights, which are `between` bytes apart. Sums wrap around, as
/// the portable kernel's do in the end.
template <class AddRows>
inline void transpose_convolve_in_fours(const UnfoldedConv2DParams& p, const View& x,
                                        const View& out, const Region& region,
                                        AddRows add_rows) noexcept {
  const Window2D& w = p.window;
  const int32_t pitch = w.kernel_h * w.kernel_w * p.in_per_group;
  const int32_t begin = region.begin[3], end = region.end[3];
  const int32_t channels = end - begin < 4 ? 1 : 4;
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const BackwardWindow taps = backward_window(w, y, column);
    auto* const to = pixel<int8_t>(out, n, y, column);
    for (int32_t next = begin; next < end; next += channels) {
      const int32_t o = next < end - channels ? next : end - channels;  // some of the last again
      uint32_t sums[4] = {0, 0, 0, 0};
      for (int32_t c = 0; c < channels; ++c) sums[c] = static_cast<uint32_t>(p.bias[2 * (o + c)]);
      each_backward_tap<int8_t>(
          taps, w, p.in_per_group, x, n, [&](const int8_t* from, int32_t first) {
            add_rows(sums, from, -p.input_zero_point, p.weights + o * pitch + first,
                     channels == 1 ? 0 : pitch, p.in_per_group);
          });
      for (int32_t c = 0; c < channels; ++c) {
        to[(o + c) * out.stride[3]] =
            static_cast<int8_t>(finished(p, static_cast<int32_t>(sums[c]), o + c));
      }
    }
  });
}

}  // namespace thimble::runtime
