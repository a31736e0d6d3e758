// SPDX-License-Identifier: Apache-2.0
// Softmax in gemmlowp's fixed point, written Qm: m bits before the point, 31 - m after it.
#pragma once

#include "reciprocal.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

/// exp(x) in Q0 for x in [-1/4, 0) in Q0: a Taylor series around -1/8.
inline int32_t exp_near_zero(int32_t x) noexcept {
  constexpr int32_t kExpMinusEighth = 1895147668;
  constexpr int32_t kThird = 715827883;
  const int32_t t = x + (1 << 28);
  const int32_t t2 = doubling_high_multiply(t, t);
  const int32_t t3 = doubling_high_multiply(t2, t);
  const int32_t t4_over_4 = rounding_shift_right(doubling_high_multiply(t2, t2), 2);
  const int32_t tail = rounding_shift_right(doubling_high_multiply(t4_over_4 + t3, kThird) + t2, 1);
  return kExpMinusEighth + doubling_high_multiply(kExpMinusEighth, t + tail);
}

/// exp(x) in Q0 for x <= 0 in Q5: the part below 1/4 by the series, each higher bit by a factor.
inline int32_t exp_negative(int32_t x) noexcept {
  if (x == 0) return kMaxInt32;
  constexpr int32_t kQuarter = 1 << 24;
  // exp(-2^k) for k from -2 to 4.
  constexpr int32_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308,
                                  39332535,   720401,     242};
  const int32_t fraction = (x & (kQuarter - 1)) - kQuarter;
  int32_t result = exp_near_zero(saturating_shift_left(fraction, 5));
  const int32_t bits = fraction - x;
  for (int32_t k = 0; k < 7; ++k) {
    if ((bits & shift_left(kQuarter, k)) != 0) result = doubling_high_multiply(result, kFactors[k]);
  }
  return result;
}

/// exp of the difference to the largest input.
inline int32_t exp_of_difference(const SoftmaxParams& p, int32_t difference) noexcept {
  return exp_negative(doubling_high_multiply(shift_left(difference, p.input_scale.shift),
                                             p.input_scale.multiplier));
}

/// What makes shares of `bits` of exponentials that come to `sum`, in Q12.
struct SoftmaxShares {
  int32_t scale, exponent, low;

  SoftmaxShares(int32_t sum, int32_t bits) noexcept {
    const int32_t zeros = leading_zeros(sum);
    const int32_t bits_over_unit = 12 - zeros;
    const auto mantissa =
        static_cast<int32_t>((static_cast<uint32_t>(sum) << zeros) - (uint32_t{1} << 31));
    scale = reciprocal_of_one_plus(mantissa);
    low = -(1 << (bits - 1));
    exponent = bits_over_unit + 31 - bits;
  }
  /// From 512 equal channels on, an int8 share rounds to nothing.
  bool any() const noexcept { return exponent <= 31; }
  int32_t of(int32_t exponential) const noexcept {
    const int32_t share = doubling_high_multiply(scale, exponential);
    const int32_t rounded = rounding_shift_right(share, exponent) + low;  // low at least
    return rounded > -low - 1 ? -low - 1 : rounded;
  }
};

/// One pixel. bits: of the output's type. Not inlined: its loops need all registers.
template <class Out>
[[gnu::noinline]] inline void softmax_pixel(const SoftmaxParams& p, const int8_t* x, int32_t step,
                                            Out* out, int32_t out_step, int32_t bits) noexcept {
  int32_t most = -128;
  for (int32_t c = 0; c < p.channels; ++c) {
    const int32_t value = x[c * step];
    most = value > most ? value : most;
  }
  int32_t sum = 0;  // in Q12
  for (int32_t c = 0; c < p.channels; ++c) {
    const int32_t difference = x[c * step] - most;
    if (difference >= p.diff_min) {
      sum += rounding_shift_right(exp_of_difference(p, difference), 12);
    }
  }
  const SoftmaxShares shares(sum, bits);
  for (int32_t c = 0; c < p.channels; ++c) {
    const int32_t difference = x[c * step] - most;
    int32_t value = shares.low;
    if (difference >= p.diff_min && shares.any())
      value = shares.of(exp_of_difference(p, difference));
    out[c * out_step] = static_cast<Out>(value);
  }
}

template <class In, class Out>
inline void softmax(const SoftmaxParams& p, const View& x, const View& out,
                    const Region& region) noexcept {
  constexpr int32_t kBits = 8 * sizeof(Out);
  if (region.begin[3] == region.end[3]) return;  // pixels are whole otherwise
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    softmax_pixel(p, pixel<const In>(x, n, y, column), x.stride[3], pixel<Out>(out, n, y, column),
                  out.stride[3], kBits);
  });
}

}  // namespace thimble::runtime
