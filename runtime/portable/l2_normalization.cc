// SPDX-License-Identifier: Apache-2.0
#include "reciprocal.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

namespace {

/// 1 / sqrt(x) by five steps of Newton's method, from 1: of x in [1/8, 1/2) in Q3.
int32_t reciprocal_root(int32_t x) noexcept {
  constexpr int32_t kThreeHalves = (1 << 28) + (1 << 27);  // in Q3
  constexpr int32_t kRootOfHalf = 1518500250;              // in Q0
  const int32_t half = rounding_shift_right(x, 1);
  int32_t y = 1 << 28;
  for (int32_t step = 0; step < 5; ++step) {
    const int32_t cube =
        saturating_shift_left(doubling_high_multiply(doubling_high_multiply(y, y), y), 6);
    y = saturating_shift_left(
        doubling_high_multiply(kThreeHalves, y) - doubling_high_multiply(half, cube), 3);
  }
  return doubling_high_multiply(y, kRootOfHalf);
}

/// 1 / sqrt(sum), with the shift of a Scale. Below 2 as of 1.
Scale scale_of_sum(int32_t sum) noexcept {
  if (sum <= 1) return {kMaxInt32, 0};
  int32_t shift = 11;
  for (; sum >= 1 << 29; sum /= 4) ++shift;
  const int32_t pairs = (leading_zeros(sum) - 1) / 2 - 1;
  shift -= pairs;
  const int32_t root = reciprocal_root(shift_left(sum, 2 * pairs) >> 1);
  return shift < 0 ? Scale{shift_left(root, -shift), 0} : Scale{root, -shift};
}

}  // namespace

void l2_normalization(const L2NormalizationParams& p, const View& x, const View& out,
                      const Region& region) noexcept {
  constexpr int32_t kOutputBits = 7;
  if (region.begin[3] == region.end[3]) return;
  const L2NormalizationParams q = p;  // a copy that stores of int8 cannot alias
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const auto* from = pixel<const int8_t>(x, n, y, column);
    auto* to = pixel<int8_t>(out, n, y, column);
    int32_t sum = 0;
    for (int32_t c = 0; c < q.channels; ++c) {
      const int32_t value = from[c * x.stride[3]] - q.input_zero_point;
      sum += value * value;
    }
    const Scale scale = scale_of_sum(sum);
    for (int32_t c = 0; c < q.channels; ++c) {
      const int32_t value = from[c * x.stride[3]] - q.input_zero_point;
      to[c * out.stride[3]] = static_cast<int8_t>(
          limit(requantise(value, scale.multiplier, scale.shift + kOutputBits), -128, 127));
    }
  });
}

}  // namespace thimble::runtime
