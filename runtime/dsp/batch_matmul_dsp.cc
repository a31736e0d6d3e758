// SPDX-License-Identifier: Apache-2.0
// Products of matrices, four columns of y at a time: columns that are runs of memory, or lie side
// by side.
#include "../portable/fixed_point.h"
#include "../portable/walk.h"
#include "row_products.h"
#include "thimble_runtime/kernels.h"
#include "thimble_runtime/naked.h"

namespace thimble::runtime {
namespace {

#if defined(THIMBLE_SIMD32_ASSEMBLY)

// r0 x, r1 y, r2 step, r3 fours, r4-r7 sums, r9 offsets, r10 and r11 four columns, r12 and lr x.
#define THIMBLE_TIMES_COLUMNS(product, x) \
  "ldr r10, [r1]\n"                       \
  "add r1, r1, r2\n"                      \
  "sxtb16 r11, r10\n"                     \
  "sxtb16 r10, r10, ror #8\n"             \
  "smla" product "b r4, " x               \
  ", r11, r4\n"                           \
  "smla" product "t r6, " x               \
  ", r11, r6\n"                           \
  "smla" product "b r5, " x               \
  ", r10, r5\n"                           \
  "smla" product "t r7, " x ", r10, r7\n"

/// x + offset, four times `fours` elements, times four columns side by side whose rows are `step`
/// bytes apart: added to four sums.
[[THIMBLE_NAKED]] void multiply_columns(const int8_t*, const int8_t*, int32_t, int32_t, uint32_t,
                                        uint32_t*) noexcept {
  __asm__ volatile(
      "push {r4, r5, r6, r7, r8, r9, r10, r11, lr}\n"
      "ldr r9, [sp, #36]\n"
      "ldr r10, [sp, #40]\n"
      "ldm r10, {r4, r5, r6, r7}\n"
      "1:\n"
      "ldr r10, [r0], #4\n"
      "sxtab16 r12, r9, r10\n"
      "sxtab16 lr, r9, r10, ror #8\n" THIMBLE_TIMES_COLUMNS("b", "r12")
          THIMBLE_TIMES_COLUMNS("b", "lr") THIMBLE_TIMES_COLUMNS("t", "r12")
              THIMBLE_TIMES_COLUMNS("t", "lr")
      "subs r3, r3, #1\n"
      "bne 1b\n"
      "ldr r10, [sp, #40]\n"
      "stm r10, {r4, r5, r6, r7}\n"
      "pop {r4, r5, r6, r7, r8, r9, r10, r11, pc}\n");
}
#undef THIMBLE_TIMES_COLUMNS

#else

void multiply_columns(const int8_t* x, const int8_t* y, int32_t step, int32_t fours,
                      uint32_t offsets, uint32_t* sums) noexcept {
  for (int32_t k = 0; k < 4 * fours; ++k, y += step) {
    const int32_t value = x[k] + static_cast<int16_t>(offsets);
    const uint32_t even = even_bytes(load_4(y)), odd = odd_bytes(load_4(y));
    sums[0] += static_cast<uint32_t>(value * static_cast<int16_t>(even));
    sums[1] += static_cast<uint32_t>(value * static_cast<int16_t>(odd));
    sums[2] += static_cast<uint32_t>(value * static_cast<int16_t>(even >> 16));
    sums[3] += static_cast<uint32_t>(value * static_cast<int16_t>(odd >> 16));
  }
}

#endif

void add_four_columns(uint32_t (&sums)[4], const int8_t* x, int32_t offset, const int8_t* y,
                      int32_t step, int32_t count) noexcept {
  const int32_t fours = count / 4;
  if (fours > 0) multiply_columns(x, y, step, fours, twice(offset), sums);
  for (int32_t k = 4 * fours; k < count; ++k) {
    const int32_t value = x[k] + offset;
    for (int32_t c = 0; c < 4; ++c) sums[c] += static_cast<uint32_t>(value * y[k * step + c]);
  }
}

}  // namespace

void batch_matmul_dsp(const BatchMatMulParams& p, const View& x, const View& y, const View& out,
                      const Region& region) noexcept {
  if (region.begin[3] == region.end[3]) return;  // before a row of x is summed
  const BatchMatMulParams q = p;                 // a copy that stores of int8 cannot alias
  const bool even = !THIMBLE_USES_RINGS || y.modulus == 0;
  const bool runs = even && y.stride[3] == 1, side_by_side = even && y.stride[2] == 1;
  for_each_pixel(region, [&](int32_t n, int32_t h, int32_t m) {
    const auto* const row = pixel<const int8_t>(x, n, h, m);
    uint32_t all = 0;
    for (int32_t k = 0; k < q.depth; ++k) all += static_cast<uint32_t>(row[k] - q.zero_point[0]);
    const uint32_t base = 0 - static_cast<uint32_t>(q.zero_point[1]) * all;
    auto* to = pixel<int8_t>(out, n, h, m) + region.begin[3] * out.stride[3];
    for (int32_t o = region.begin[3]; o < region.end[3];) {
      const auto* const column = pixel<const int8_t>(y, n, h, o);
      const int32_t columns = (runs || side_by_side) && region.end[3] - o >= 4 ? 4 : 1;
      uint32_t sums[4] = {base, base, base, base};
      if (columns == 1) {
        for (int32_t k = 0; k < q.depth; ++k)
          sums[0] += static_cast<uint32_t>((row[k] - q.zero_point[0]) * column[k * y.stride[3]]);
      } else if (runs) {
        add_four_rows(sums, row, -q.zero_point[0], column, y.stride[2], q.depth);
      } else {
        add_four_columns(sums, row, -q.zero_point[0], column, y.stride[3], q.depth);
      }
      for (int32_t k = 0; k < columns; ++k, ++o, to += out.stride[3]) {
        const int32_t scaled =
            requantise(static_cast<int32_t>(sums[k]), q.scale.multiplier, q.scale.shift);
        *to = static_cast<int8_t>(limit(scaled + q.output_zero_point, -128, 127));
      }
    }
  });
}

}  // namespace thimble::runtime
