// SPDX-License-Identifier: Apache-2.0
// Windows of one tap, from the inputs as they are: pixel by pixel, two pairs of output channels at
// a time share what is widened of four inputs. Thirteen instructions for sixteen products.
#include "../portable/fixed_point.h"
#include "thimble_runtime/naked.h"
#include "wide_weights.h"

namespace thimble::runtime {
namespace {

/// The sums of two pairs of channels at a pixel of 4 * fours inputs.
#if defined(THIMBLE_SIMD32_ASSEMBLY)

// r0 x, r1 and r2 pairs, r3 fours, r4-r7 sums, r8-r11 weights, r12 and lr inputs.
#define THIMBLE_FOUR_INPUTS         \
  "ldr r12, [r0], #4\n"             \
  "ldm.w r1!, {r8, r9, r10, r11}\n" \
  "sxtb16 lr, r12, ror #8\n"        \
  "sxtb16 r12, r12\n"               \
  "smlad r4, r12, r8, r4\n"         \
  "smlad r5, r12, r10, r5\n"        \
  "smlad r4, lr, r9, r4\n"          \
  "smlad r5, lr, r11, r5\n"         \
  "ldm.w r2!, {r8, r9, r10, r11}\n" \
  "smlad r6, r12, r8, r6\n"         \
  "smlad r7, r12, r10, r7\n"        \
  "smlad r6, lr, r9, r6\n"          \
  "smlad r7, lr, r11, r7\n"

[[THIMBLE_NAKED]] void sum_two_pairs(const int8_t*, const int32_t*, const int32_t*, int32_t,
                                     int32_t*) noexcept {
  __asm__ volatile(
      "push {r4, r5, r6, r7, r8, r9, r10, r11, lr}\n"
      "ldm.w r1!, {r4, r5}\n"
      "ldm.w r2!, {r6, r7}\n"
      "subs r3, r3, #4\n"
      "blo 2f\n"
      "1:\n" THIMBLE_FOUR_INPUTS THIMBLE_FOUR_INPUTS THIMBLE_FOUR_INPUTS THIMBLE_FOUR_INPUTS
      "subs r3, r3, #4\n"
      "bhs 1b\n"
      "2:\n"
      "adds r3, r3, #4\n"
      "beq 4f\n"
      "3:\n" THIMBLE_FOUR_INPUTS
      "subs r3, r3, #1\n"
      "bne 3b\n"
      "4:\n"
      "ldr r0, [sp, #36]\n"
      "stm r0, {r4, r5, r6, r7}\n"
      "pop {r4, r5, r6, r7, r8, r9, r10, r11, pc}\n");
}

#else

void sum_two_pairs(const int8_t* x, const int32_t* first, const int32_t* second, int32_t fours,
                   int32_t* sums) noexcept {
  for (int32_t o = 0; o < 4; ++o) {
    const int32_t* const pair = o < 2 ? first : second;
    auto sum = static_cast<uint32_t>(pair[o % 2]);
    for (int32_t k = 0; k < fours; ++k) {
      uint32_t inputs[2];
      PlainInputs::put(load_4(x + 4 * k), inputs);
      sum += WideWeights::products(inputs, pair + 2, k, o % 2);
    }
    sums[o] = static_cast<int32_t>(sum);
  }
}

#endif

/// All tails as one: finished() of pair_tails.h without its branches, but for those whose constants
/// are those of the reference.
class SinglePixelTail {
 public:
  explicit SinglePixelTail(const Conv2DPairsParams& p) noexcept : p_(p) {
    const auto tail = static_cast<Tail>(p.tail);
    scales_ = tail == Tail::kSums || tail == Tail::kToEven || tail == Tail::kToEvenClamps;
    if (tail == Tail::kSigned || tail == Tail::kSignedClamps) {
      rounding_ = int64_t{1} << 31;
      less_ = -1;
    }
    if (tail == Tail::kReluFrom) {
      low_ = 0;
      high_ = 127 - p.output_zero_point;
      add_ = p.output_zero_point;
    }
  }

  int8_t operator()(int32_t sum, const int32_t* constants) const noexcept {
    if (scales_) {
      const int32_t scaled = requantise(sum, constants[0], constants[2]) + p_.output_zero_point;
      return static_cast<int8_t>(limit(scaled, low_, high_));
    }
    const int64_t product = static_cast<int64_t>(sum) * constants[0] + rounding_;
    const int32_t constant = constants[1] + (sum >> 31 & less_);
    const int32_t value = (static_cast<int32_t>(product >> 32) + constant) >> constants[2];
    return static_cast<int8_t>(limit(value, low_, high_) + add_);
  }

 private:
  const Conv2DPairsParams& p_;
  bool scales_;
  int32_t low_ = p_.clamp_min, high_ = p_.clamp_max, add_ = 0;
  int32_t less_ = 0;  ///< what is added for sums below zero
  int64_t rounding_ = 0;
};

}  // namespace

void conv_2d_1x1_dsp(const Conv2DPairsParams& p, const View& x, const View& out,
                     const Region& region) noexcept {
  const int32_t begin = region.begin[3], end = region.end[3];
  if (begin == end) return;
  const int32_t step = out.stride[3];
  const int32_t fours = p.in_channels / 4, words = pair_words<WideWeights>(fours);
  const SinglePixelTail tail(p);
  for (int32_t n = region.begin[0]; n < region.end[0]; ++n) {
    for (int32_t y = region.begin[1]; y < region.end[1]; ++y) {
      for (int32_t column = region.begin[2]; column < region.end[2]; ++column) {
        const auto* const from =
            pixel<const int8_t>(x, n, y * p.window.stride_h, column * p.window.stride_w);
        auto* const to = pixel<int8_t>(out, n, y, column);
        for (int32_t o = begin - begin % 2; o < end; o += 4) {
          const int32_t* const first = p.pairs + o / 2 * words;
          const int32_t* const second = o + 2 < end ? first + words : first;
          int32_t sums[4];
          sum_two_pairs(from, first, second, fours, sums);
          for (int32_t k = 0; k < 4 && o + k < end; k += 2) {
            const int32_t* const constants = (k == 0 ? first : second) + words - kPairTailWords;
            int8_t* const both = to + (o + k) * step;
            if (o + k >= begin) both[0] = tail(sums[k], constants);
            if (o + k + 1 < end) both[step] = tail(sums[k + 1], constants + 3);
          }
        }
      }
    }
  }
}

}  // namespace thimble::runtime
