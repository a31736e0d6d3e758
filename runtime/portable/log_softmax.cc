// SPDX-License-Identifier: Apache-2.0
// The logarithm of softmax in gemmlowp's fixed point, as TensorFlow Lite's reference kernel.
#include "softmax.h"

namespace thimble::runtime {
namespace {

constexpr int32_t kLowest = -kMaxInt32 - 1;

int32_t limited(int64_t x) noexcept {
  if (x > kMaxInt32) return kMaxInt32;
  return x < kLowest ? kLowest : static_cast<int32_t>(x);
}

/// ln(x) in Q5 for x >= 1 in Q12. x = r * 2^k with r near 2^(-1/4); ln(r) by a quotient of
/// polynomials in 2 (r - 2^(-1/4)).
int32_t logarithm(int32_t x) noexcept {
  constexpr int32_t kLog2 = 1488522236, kRootOfRootOfHalf = 1805811301, kRootOfHalf = 1518500250;
  constexpr int32_t kAlphaN = 117049297, kAlphaD = 127690142, kAlphaI = 1057819769,
                    kAlphaF = 638450708;
  constexpr int32_t kQuarter = 1 << 23;  // in Q6
  const int32_t zeros = leading_zeros(x);
  const int32_t r_a = saturating_shift_left(
      doubling_high_multiply(saturating_shift_left(x, zeros - 1), kRootOfHalf), 1);
  const int32_t k_a = saturating_shift_left(12 - zeros, 25) + kQuarter;
  const int32_t zeros_b = leading_zeros(doubling_high_multiply(x, kRootOfHalf)) - 1;
  const int32_t r_b = saturating_shift_left(x, zeros_b);
  const int32_t k_b = saturating_shift_left(12 - zeros_b, 25) - kQuarter;
  const int32_t r = r_a < r_b ? r_a : r_b;
  const int32_t k = k_a > k_b ? k_a : k_b;
  const auto p = static_cast<int32_t>((int64_t{r} + kRootOfRootOfHalf + 1) / 2);
  const int32_t q = 2 * (r - kRootOfRootOfHalf);
  const int32_t square = doubling_high_multiply(q, q);
  const int32_t numerator = doubling_high_multiply(q, r) +
                            doubling_high_multiply(doubling_high_multiply(q, square), kAlphaN);
  const int32_t denominator =
      doubling_high_multiply(p, kAlphaI + q + doubling_high_multiply(kAlphaD, square)) +
      doubling_high_multiply(kAlphaF, q);
  const int32_t sum = doubling_high_multiply(k, kLog2) +
                      doubling_high_multiply(rounding_shift_right(numerator, 6),
                                             reciprocal_of_one_plus(denominator));
  return saturating_shift_left(sum, 1);
}

void log_softmax_pixel(const LogSoftmaxParams& p, const int8_t* x, int32_t step, int8_t* out,
                       int32_t out_step) noexcept {
  int32_t most = -128;
  for (int32_t c = 0; c < p.channels; ++c) most = x[c * step] > most ? x[c * step] : most;
  const auto scaled = [&p](int32_t difference) {
    return requantise(difference, p.input_scale.multiplier, p.input_scale.shift);
  };
  int32_t sum = 0;  // in Q12
  for (int32_t c = 0; c < p.channels; ++c) {
    const int32_t difference = x[c * step] - most;
    if (difference >= p.diff_min) sum += rounding_shift_right(exp_negative(scaled(difference)), 12);
  }
  const int32_t log_of_sum = logarithm(sum);
  const int32_t reach =
      requantise(log_of_sum + kLowest, p.inverse_scale.multiplier, p.inverse_scale.shift);
  const int32_t least = reach > p.diff_min - 1 ? reach : p.diff_min - 1;
  for (int32_t c = 0; c < p.channels; ++c) {
    const int32_t difference = x[c * step] - most;
    int32_t value = -128;
    if (difference > least) {
      const int32_t logarithm_of_share = limited(int64_t{scaled(difference)} - log_of_sum);
      value = limit(rounding_shift_right(logarithm_of_share, 22) + 127, -128, 127);
    }
    out[c * out_step] = static_cast<int8_t>(value);
  }
}

}  // namespace

void log_softmax(const LogSoftmaxParams& p, const View& x, const View& out,
                 const Region& region) noexcept {
  if (region.begin[3] == region.end[3]) return;  // pixels are whole otherwise
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    log_softmax_pixel(p, pixel<const int8_t>(x, n, y, column), x.stride[3],
                      pixel<int8_t>(out, n, y, column), out.stride[3]);
  });
}

}  // namespace thimble::runtime
