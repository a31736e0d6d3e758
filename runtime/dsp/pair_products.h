// SPDX-License-Identifier: Apache-2.0
// The inner blocks on pairs of output channels as they are defined; wide_weights.h,
// compact_weights.h and nibble_weights.h have them in assembly.
#pragma once

#include "pair_tails.h"

namespace thimble::runtime {

/// Words of a pair in Conv2DPairsParams::pairs.
template <class Weights>
constexpr int32_t pair_words(int32_t fours) noexcept {
  return 2 + Weights::words(fours) + kPairTailWords;
}

/// The channels of one pixel, or of two.
template <class Weights>
inline void multiply_pixels(const PairBlock& block, int32_t pixels) noexcept {
  const int32_t* w = block.pairs;
  int8_t* out = block.out;
  do {
    const int32_t* const behind = w + 2 + Weights::words(block.fours);
    const int32_t* const constants = block.shared != nullptr ? block.shared : behind;
    for (int32_t channel = 0; channel < 2; ++channel) {
      for (int32_t pixel = 0; pixel < pixels; ++pixel) {
        auto sum = static_cast<uint32_t>(w[channel]);
        for (int32_t k = 0; k < block.fours; ++k) {
          const uint32_t* const x = block.x + 2 * (pixels * k + pixel);
          sum += Weights::products(x, w + 2, k, channel);
        }
        const auto done = static_cast<int32_t>(sum);
        if (block.tail == Tail::kSums) {
          reinterpret_cast<int32_t*>(out)[channel * pixels + pixel] = done;
        } else {
          out[pixel * block.to_b + channel] = finished(done, constants + 3 * channel, block.tail,
                                                       block.clamps, Weights::kDoublings);
        }
      }
    }
    if (block.tail == Tail::kSums) return;
    w = block.shared != nullptr ? behind : behind + kPairTailWords;
    out += 2;
  } while (out != block.end);
}

/// Two pixels, and pairs of them that are ahead.
template <class Weights>
inline void multiply_pairs_of_pixels(PairBlock block) noexcept {
  for (;;) {
    if (block.ahead > 0) widen_windows<typename Weights::Inputs>(block.runs, block.windows);
    multiply_pixels<Weights>(block, 2);
    if (--block.ahead <= 0) return;
    block.runs.offset += 2 * block.runs.step;
    block.out = block.end + block.to_next;
    block.end += block.two;
  }
}

}  // namespace thimble::runtime
