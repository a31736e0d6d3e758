// SPDX-License-Identifier: Apache-2.0
// A depthwise convolution of int16, four channels at a time: each tap of theirs is two words of
// inputs and one of weights, four products.
#include "../portable/walk.h"
#include "run_products.h"
#include "thimble_runtime/naked.h"
#include "words_tail.h"

namespace thimble::runtime {
namespace {

/// Taps that are evenly apart in memory.
struct TapRow {
  const int16_t* x;  ///< channel 0 of the first
  uint16_t first;    ///< its number
  uint16_t taps;
};

/// Sums of four channels. In bytes: how far the first of them is behind channel 0, a tap of a row
/// behind the one before.
struct TapBytes {
  int32_t channels, step;
};
#if defined(THIMBLE_SIMD32_ASSEMBLY)

// r0 x, r1 weights, r2 taps, r3 rows, r4-r7 sums, r8 and r9 weights, r10 and r11 inputs, r12 step,
// lr rows left. On the stack: weights, sums; where the bytes are.
[[THIMBLE_NAKED]] void sum_taps(const TapRow*, int32_t, const int32_t*, int32_t*,
                                const TapBytes&) noexcept {
  __asm__ volatile(
      "push {r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, lr}\n"
      "mov lr, r1\n"
      "mov r3, r0\n"
      "movs r4, #0\n"
      "movs r5, #0\n"
      "movs r6, #0\n"
      "movs r7, #0\n"
      "1:\n"
      "ldr r0, [r3], #4\n"
      "ldrh r1, [r3], #2\n"
      "ldrh r2, [r3], #2\n"
      "ldr r8, [sp, #44]\n"
      "ldr r9, [sp]\n"
      "ldrd r8, r12, [r8]\n"
      "add r0, r0, r8\n"
      "add r1, r9, r1, lsl #2\n"
      "2:\n"
      "ldr r10, [r0]\n"
      "ldr r11, [r0, #4]\n"
      "ldr r8, [r1], #4\n"
      "add r0, r0, r12\n"
      "sxtb16 r9, r8, ror #8\n"
      "sxtb16 r8, r8\n"
      "smlabb r4, r10, r8, r4\n"
      "smlatt r5, r10, r8, r5\n"
      "smlabb r6, r11, r9, r6\n"
      "smlatt r7, r11, r9, r7\n"
      "subs r2, r2, #1\n"
      "bne 2b\n"
      "subs lr, lr, #1\n"
      "bne 1b\n"
      "ldr r0, [sp, #4]\n"
      "stm r0, {r4, r5, r6, r7}\n"
      "add sp, sp, #8\n"
      "pop {r4, r5, r6, r7, r8, r9, r10, r11, pc}\n");
}

#else

void sum_taps(const TapRow* row, int32_t rows, const int32_t* weights, int32_t* sums,
              const TapBytes& bytes) noexcept {
  for (int32_t c = 0; c < 4; ++c) sums[c] = 0;
  for (; rows > 0; --rows, ++row) {
    const int16_t* x = row->x + bytes.channels / 2;
    for (int32_t k = 0; k < row->taps; ++k, x += bytes.step / 2) {
      const auto word = static_cast<uint32_t>(weights[row->first + k]);
      const uint32_t low = even_bytes(word), high = odd_bytes(word);
      sums[0] += x[0] * static_cast<int16_t>(low);
      sums[1] += x[1] * static_cast<int16_t>(low >> 16);
      sums[2] += x[2] * static_cast<int16_t>(high);
      sums[3] += x[3] * static_cast<int16_t>(high >> 16);
    }
  }
}

#endif

/// The sum of one channel, that of the group's number c.
int32_t sum_channel(const TapRow* row, int32_t rows, const int32_t* weights, int32_t c,
                    const TapBytes& bytes) noexcept {
  const auto* own = reinterpret_cast<const int8_t*>(weights) + (c == 0 || c == 3 ? c : 3 - c);
  int32_t sum = 0;
  for (; rows > 0; --rows, ++row) {
    const int16_t* x = row->x + bytes.channels / 2 + c;
    for (int32_t k = 0; k < row->taps; ++k, x += bytes.step / 2)
      sum += *x * own[4 * (row->first + k)];
  }
  return sum;
}

/// The taps of a pixel that are no padding.
struct TapRows {
  TapRow row[kDepthwiseWordsTaps];
  int32_t count = 0;
};

void find_taps(const Window2D& w, const View& x, int32_t n, int32_t y, int32_t column,
               TapRows& found) noexcept {
  const Taps rows = rows_at(w, y);
  const Taps columns = columns_at(w, column);
  const int32_t inside = columns.end - columns.begin;
  const bool even = !THIMBLE_USES_RINGS || x.modulus == 0;
  const int32_t taps = even ? inside : 1;
  found.count = 0;
  if (inside == 0) return;
  for (int32_t ky = rows.begin; ky < rows.end; ++ky) {
    const int32_t in_y = rows.origin + ky * w.dilation_h;
    for (int32_t kx = columns.begin; kx < columns.end; kx += taps) {
      found.row[found.count++] = {
          pixel<const int16_t>(x, n, in_y, columns.origin + kx * w.dilation_w),
          static_cast<uint16_t>(ky * w.kernel_w + kx), static_cast<uint16_t>(taps)};
    }
  }
}

}  // namespace

void conv_2d_i16_depthwise_dsp(const Conv2DWordsParams& p, const View& x, const View& out,
                               const Region& region) noexcept {
  const int32_t begin = region.begin[3], end = region.end[3], step = out.stride[3];
  if (begin == end) return;
  const int32_t taps = p.window.kernel_h * p.window.kernel_w;
  const int32_t words = taps + 4 * kWordsTail;  // of a group
  const EvenColumns even = even_columns(p.window, x, region);
  TapRows found;
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    if (column > region.begin[2] && even.goes_on(column)) {
      for (int32_t k = 0; k < found.count; ++k) found.row[k].x += even.step;
    } else {
      find_taps(p.window, x, n, y, column, found);
    }
    auto* const to = pixel<int16_t>(out, n, y, column);
    const int32_t* weights = p.words + begin / 4 * words;
    for (int32_t o = begin - begin % 4; o < end; o += 4, weights += words) {
      const int32_t first = o < begin ? begin - o : 0;
      const int32_t last = end - o < 4 ? end - o : 4;
      const TapBytes bytes = {2 * o, x.stride[2] * p.window.dilation_w * 2};
      int32_t sums[4] = {0, 0, 0, 0};
      if (last - first == 4) {
        if (found.count > 0) sum_taps(found.row, found.count, weights, sums, bytes);
      } else {
        for (int32_t c = first; c < last; ++c)
          sums[c] = sum_channel(found.row, found.count, weights, c, bytes);
      }
      finish_group(p, weights + taps + first * kWordsTail, sums + first, last - first,
                   to + (o + first) * step, step);
    }
  });
}

}  // namespace thimble::runtime
