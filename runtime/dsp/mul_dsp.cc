// SPDX-License-Identifier: Apache-2.0
// The product's second rounding goes with the first (fixed_point.h): ten instructions an element.
#include "../portable/fixed_point.h"
#include "../portable/side_by_side.h"
#include "simd32.h"
#include "thimble_runtime/kernels.h"
#include "thimble_runtime/uses.h"

namespace thimble::runtime {
namespace {

// In the order that the elements need them.
struct Product {
  int32_t from_x, from_y;  // less the zero points, y's twice
  int32_t multiplier, shift, constant;
};

#if defined(THIMBLE_SIMD32_ASSEMBLY)
template <int32_t kCount>
void multiply_block(const Product& p, const int8_t*& x, const int8_t*& y, int8_t*& to) noexcept {
  int32_t product;
  int32_t other;
  __asm__ volatile(
      ".rept %c[count]\n"
      "ldrsb %[product], [%[x]], #1\n"
      "ldrsb %[other], [%[y]], #1\n"
      "add %[product], %[product], %[from_x]\n"
      "add %[other], %[from_y], %[other], lsl #1\n"
      "mul %[product], %[product], %[other]\n"
      "add %[other], %[constant], %[product], asr #31\n"
      "smmlar %[product], %[product], %[multiplier], %[other]\n"
      "asr %[product], %[product], %[shift]\n"
      "ssat %[product], #8, %[product]\n"
      "strb %[product], [%[to]], #1\n"
      ".endr\n"
      : [x] "+r"(x), [y] "+r"(y), [to] "+r"(to), [product] "=&r"(product), [other] "=&r"(other)
      : [from_x] "r"(p.from_x), [from_y] "r"(p.from_y), [multiplier] "r"(p.multiplier),
        [shift] "r"(p.shift), [constant] "r"(p.constant), [count] "i"(kCount)
      : "memory");
}
#else
template <int32_t kCount>
void multiply_block(const Product& p, const int8_t*& x, const int8_t*& y, int8_t*& to) noexcept {
  for (int32_t k = 0; k < kCount; ++k) {
    const int32_t twice = (*x++ + p.from_x) * (*y++ * 2 + p.from_y);
    const int32_t value =
        add_rounded_high(twice, p.multiplier, p.constant + (twice >> 31)) >> p.shift;
    *to++ = static_cast<int8_t>(saturate_8(value));
  }
}
#endif

// Elements one by one.
[[gnu::noinline]] void multiply_single(const Product& product, const PairRun& run) noexcept {
  const Product p = product;  // which stores of int8 cannot alias
  const int8_t* x = run.x;
  const int8_t* y = run.y;
  int8_t* to = run.to;
  for (int32_t left = run.count; left > 0; --left) {
    const int32_t twice = (*x + p.from_x) * (*y * 2 + p.from_y);
    const int32_t value =
        add_rounded_high(twice, p.multiplier, p.constant + (twice >> 31)) >> p.shift;
    *to = static_cast<int8_t>(saturate_8(value));
    x += run.x_step;
    y += run.y_step;
    to += run.out_step;
  }
}

void multiply_run(const void* what, const PairRun& run) noexcept {
  const auto& product = *static_cast<const Product*>(what);
  if (THIMBLE_USES_SINGLE_PRODUCTS && !is_side_by_side(run)) return multiply_single(product, run);
  const Product p = product;  // which stores of int8 cannot alias
  const int8_t* x = run.x;
  const int8_t* y = run.y;
  int8_t* to = run.to;
  const int8_t* const end = x + run.count;
  while (end - x >= 4) multiply_block<4>(p, x, y, to);
  while (x != end) multiply_block<1>(p, x, y, to);
}

}  // namespace

void mul_dsp(const MulParams& p, const View& a, const View& b, const View& out,
             const Region& region) noexcept {
  const int32_t shift = -p.output_scale.shift;
  const Product product{-p.zero_point[0], -2 * p.zero_point[1], p.output_scale.multiplier, shift,
                        (1 << (shift - 1)) + p.output_zero_point * (1 << shift)};
  walk_pairs(a, b, out, region, multiply_run, &product);
}

}  // namespace thimble::runtime
