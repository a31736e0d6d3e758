// SPDX-License-Identifier: Apache-2.0
#include "fixed_point.h"
#include "reciprocal.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

namespace {

/// Interpolates in a table of 512 steps, for -32768 to 32767.
int32_t interpolated(const int16_t* table, int32_t value) noexcept {
  const int16_t* at = table + 256 + (value >> 7);
  return at[0] + (((at[1] - at[0]) * (value & 0x7F) + 64) >> 7);
}

/// e^difference, one being 2^15.
int32_t exponential(const SoftmaxTableParams& p, int32_t difference) noexcept {
  const int32_t scaled = requantise(difference, p.input_scale.multiplier, p.input_scale.shift);
  return interpolated(p.exponentials, limit(scaled + 32767, -32768, 32767));
}

/// The reciprocal of a sum of `zeros` leading zeros, as a factor below 2^15.
int32_t reciprocal(const SoftmaxTableParams& p, int32_t sum, int32_t zeros) noexcept {
  const int32_t mantissa = shift_left(sum, zeros - 1);  // one being 2^30
  const auto rounded = static_cast<int32_t>((int64_t{mantissa} + (1 << 13)) >> 14);
  return interpolated(p.reciprocals, limit(rounded - (1 << 15) - (1 << 16), -32768, 32767));
}

}  // namespace

void softmax_i16_i16(const SoftmaxTableParams& p, const View& x, const View& out,
                     const Region& region) noexcept {
  if (region.begin[3] == region.end[3]) return;
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const auto* from = pixel<const int16_t>(x, n, y, column);
    auto* to = pixel<int16_t>(out, n, y, column);
    int32_t most = -32768, sum = 0;
    for (int32_t c = 0; c < p.channels; ++c) {
      const int32_t value = from[c * x.stride[3]];
      most = value > most ? value : most;
    }
    for (int32_t c = 0; c < p.channels; ++c) sum += exponential(p, from[c * x.stride[3]] - most);
    const int32_t zeros = leading_zeros(sum);
    const int32_t factor = reciprocal(p, sum, zeros);
    const int32_t right = 31 - zeros;
    for (int32_t c = 0; c < p.channels; ++c) {
      const int32_t share = exponential(p, from[c * x.stride[3]] - most) * factor;
      const int32_t rounded = (share + (1 << (right - 1))) >> right;
      to[c * out.stride[3]] = static_cast<int16_t>(limit(rounded, 0, 32767));
    }
  });
}

}  // namespace thimble::runtime
