// SPDX-License-Identifier: Apache-2.0
// Means and sums of values over some axes.
#pragma once

#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

/// Elements in a mean.
inline int32_t count_of(const MeanParams& p) noexcept {
  int32_t count = 1;
  for (int32_t axis = 0; axis < 4; ++axis) {
    if (p.reduced[axis] != 0) count *= p.in_extent[axis];
  }
  return count;
}

template <class T = int8_t>
inline T mean_of(const MeanParams& p, int32_t sum, int32_t count) noexcept {
  constexpr int32_t kMost = sizeof(T) == 1 ? 127 : 32767;
  const int32_t scaled =
      requantise(sum - p.input_zero_point * count, p.scale.multiplier, p.scale.shift);
  return static_cast<T>(limit(scaled + p.output_zero_point, -kMost - 1, kMost));
}

/// sums[k]: of the elements of `summed`, k channels further.
template <class T, int32_t kSums>
[[gnu::noinline]] static void add_up(const View& x, const Region& summed, int32_t* sums) noexcept {
  int32_t s[unsigned{kSums}] = {};
  const int32_t apart = x.stride[3];
  const int32_t width = summed.end[2] - summed.begin[2];
  for (int32_t n = summed.begin[0]; n < summed.end[0]; ++n) {
    for (int32_t y = summed.begin[1]; y < summed.end[1]; ++y) {
      const T* row = nullptr;
      for (int32_t column = 0; column < width; ++column, row += x.stride[2]) {
        if (column == 0 || x.modulus != 0)
          row = first_channel<const T>(x, summed, n, y, summed.begin[2] + column);
        const T* from = row;
        for (int32_t c = summed.begin[3]; c < summed.end[3]; ++c, from += x.stride[3]) {
#pragma GCC unroll 4
          for (int32_t k = 0; k < kSums; ++k) s[k] += from[k * apart];
        }
      }
    }
  }
#pragma GCC unroll 4
  for (int32_t k = 0; k < kSums; ++k) sums[k] = s[k];
}

template <class T>
[[gnu::cold, gnu::noinline]] static void means(const MeanParams& p, const View& x, const View& out,
                                               const Region& region) noexcept {
  const int32_t count = count_of(p);
  Region summed{};
  for (int32_t axis = 0; axis < 4; ++axis) {
    if (p.reduced[axis] != 0) summed.end[axis] = p.in_extent[axis];
  }
  auto hold = [&](int32_t axis, int32_t index) {
    if (p.reduced[axis] != 0) return;
    summed.begin[axis] = index;
    summed.end[axis] = index + 1;
  };
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    hold(0, n);
    hold(1, y);
    hold(2, column);
    auto* to = pixel<T>(out, n, y, column);
    for (int32_t c = region.begin[3]; c < region.end[3];) {
      hold(3, c);
      int32_t sums[4];  // of channels side by side, which share the search for each pixel
      const int32_t channels = p.reduced[3] == 0 && region.end[3] - c >= 4 ? 4 : 1;
      if (channels == 4) {
        add_up<T, 4>(x, summed, sums);
      } else {
        add_up<T, 1>(x, summed, sums);
      }
      for (int32_t k = 0; k < channels; ++k, ++c)
        to[c * out.stride[3]] = mean_of<T>(p, sums[k], count);
    }
  });
}

}  // namespace thimble::runtime
