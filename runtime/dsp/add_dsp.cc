// SPDX-License-Identifier: Apache-2.0
// The operand of the larger scale is only halved, so that what is left of two requantisations is
// one; its product and that of the sum take their rounding along (fixed_point.h).
#include "../portable/fixed_point.h"
#include "../portable/side_by_side.h"
#include "rounded_scale.h"
#include "simd32.h"
#include "thimble_runtime/kernels.h"
#include "thimble_runtime/uses.h"

namespace thimble::runtime {
namespace {

constexpr int32_t kShift = 20;  // AddParams::left_shift

// What the operands are made of.
struct Sum {
  Rounded other, out;
  int32_t zero_points;  // of what is only halved, times 2^20
  int32_t other_zero_point;
  int32_t low, high;

  [[nodiscard]] bool is_clamped() const noexcept { return low != -128 || high != 127; }
};

// kHalves: both operands are.
template <bool kHalves>
int32_t add_elements(const Sum& sum, int32_t halved, int32_t x) noexcept {
  int32_t twice;
  if constexpr (kHalves) {
    twice = (halved + x) * (1 << kShift) - sum.zero_points;
  } else {
    const int32_t scaled = sum.other.of((x - sum.other_zero_point) * (1 << (kShift + 1)));
    twice = halved * (1 << kShift) + (2 * scaled - sum.zero_points);
  }
  return saturate_8(sum.out.of(twice));
}

#if defined(THIMBLE_SIMD32_ASSEMBLY)
// add_elements<false> of elements side by side: thirteen instructions each.
template <int32_t kCount>
void add_block(const Sum& s, const int8_t*& halved, const int8_t*& x, int8_t*& to) noexcept {
  int32_t sum;
  int32_t other;
  __asm__ volatile(
      ".rept %c[count]\n"
      "ldrsb %[sum], [%[x]], #1\n"
      "add %[sum], %[from_other], %[sum], lsl #21\n"
      "add %[other], %[constant], %[sum], asr #31\n"
      "smmlar %[sum], %[sum], %[multiplier], %[other]\n"
      "asr %[sum], %[sum], %[shift]\n"
      "ldrsb %[other], [%[halved]], #1\n"
      "add %[sum], %[from_halved], %[sum], lsl #1\n"
      "add %[sum], %[sum], %[other], lsl #20\n"
      "add %[other], %[out_constant], %[sum], asr #31\n"
      "smmlar %[sum], %[sum], %[out_multiplier], %[other]\n"
      "asr %[sum], %[sum], %[out_shift]\n"
      "ssat %[sum], #8, %[sum]\n"
      "strb %[sum], [%[to]], #1\n"
      ".endr\n"
      : [halved] "+r"(halved), [x] "+r"(x), [to] "+r"(to), [sum] "=&r"(sum), [other] "=&r"(other)
      : [from_other] "r"(-s.other_zero_point * (1 << (kShift + 1))),
        [from_halved] "r"(-s.zero_points), [constant] "r"(s.other.constant),
        [multiplier] "r"(s.other.multiplier), [shift] "r"(s.other.shift),
        [out_constant] "r"(s.out.constant), [out_multiplier] "r"(s.out.multiplier),
        [out_shift] "r"(s.out.shift), [count] "i"(kCount)
      : "memory");
}
#else
template <int32_t kCount>
void add_block(const Sum& s, const int8_t*& halved, const int8_t*& x, int8_t*& to) noexcept {
  for (int32_t k = 0; k < kCount; ++k)
    *to++ = static_cast<int8_t>(add_elements<false>(s, *halved++, *x++));
}
#endif

// Elements one by one.
template <bool kHalves>
[[gnu::noinline]] void add_single(const Sum& sum, const PairRun& run) noexcept {
  const Sum s = sum;  // which stores of int8 cannot alias
  const int8_t* halved = run.x;
  const int8_t* x = run.y;
  int8_t* to = run.to;
  for (int32_t left = run.count; left > 0; --left) {
    *to = static_cast<int8_t>(limit(add_elements<kHalves>(s, *halved, *x), s.low, s.high));
    halved += run.x_step;
    x += run.y_step;
    to += run.out_step;
  }
}

// Side by side and without clamps as fast as can be. x of the run is what is halved.
template <bool kHalves>
void add_run(const void* what, const PairRun& run) noexcept {
  const auto& sum = *static_cast<const Sum*>(what);
  if (THIMBLE_USES_SINGLE_SUMS && (sum.is_clamped() || !is_side_by_side(run)))
    return add_single<kHalves>(sum, run);
  const Sum s = sum;  // which stores of int8 cannot alias
  const int8_t* halved = run.x;
  const int8_t* x = run.y;
  int8_t* to = run.to;
  const int8_t* const end = halved + run.count;
  if constexpr (!kHalves) {
    while (end - halved >= 4) add_block<4>(s, halved, x, to);
  }
  for (; halved != end; ++halved, ++x, ++to)
    *to = static_cast<int8_t>(add_elements<kHalves>(s, *halved, *x));
}

}  // namespace

void add_dsp(const AddParams& p, const View& a, const View& b, const View& out,
             const Region& region) noexcept {
  const bool first = is_half(p.scale[0]);
  const View& halved = first ? a : b;
  const View& x = first ? b : a;
  const int32_t other = first ? 1 : 0;
  const bool both = is_half(p.scale[other]);
  int32_t zero_points = p.zero_point[1 - other];
  if (both) zero_points += p.zero_point[other];
  const Sum sum{both ? Rounded{} : rounded(p.scale[other], 0),
                rounded(p.output_scale, p.output_zero_point),
                zero_points * (1 << kShift),
                p.zero_point[other],
                p.clamp_min,
                p.clamp_max};
  if (THIMBLE_USES_HALVED_SUMS && both) {
    walk_pairs(halved, x, out, region, add_run<true>, &sum);
  } else if (THIMBLE_USES_SCALED_SUMS) {
    walk_pairs(halved, x, out, region, add_run<false>, &sum);
  }
}

}  // namespace thimble::runtime
