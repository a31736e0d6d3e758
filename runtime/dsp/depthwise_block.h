// SPDX-License-Identifier: Apache-2.0
// What an inner block of a depthwise convolution is told, and which blocks and tails there are.
#pragma once

#include "depthwise_tail.h"
#include "simd32.h"
#include "thimble_runtime/uses.h"

namespace thimble::runtime {

struct DepthwiseBlocksInRow;

/// Blocks, and what they go on with: of the assembly addresses between which it jumps, begun by
/// run_blocks.
using DepthwiseCode = void (*)(const DepthwiseBlocksInRow*) noexcept;

/// One output of fours of channels, from the inputs of its window of 3 x 3 as they are. In the
/// order that the assembly loads it in.
struct DepthwisePixel {
  const int8_t* taps[9];     ///< the first channel's inputs; go on with the channels
  const int32_t* constants;  ///< so does this
  int8_t* out;               ///< and this
  int32_t out_step;          ///< bytes from one channel to the next
  int32_t fours;             ///< at least 1, then 0
  DepthwiseClamp clamp;
};

/// What follows the products of a channel.
struct DepthwiseTailInfo {
  int32_t words;                  ///< constants of a channel behind the weights
  DepthwiseCode of_four, of_two;  ///< for blocks of as many outputs; null: their own
  int8_t (*finish)(int32_t sum, const int32_t* constants, const DepthwiseClamp&) noexcept;
};
/// What follows the products of a channel where kernels go pixel by pixel.
struct DepthwisePixelTail {
  const DepthwiseTailInfo& tail;
  void (*pixel)(DepthwisePixel*) noexcept;
};

/// Blocks side by side, each of four outputs of the same channels, which lie evenly in scratch. In
/// the order in which the assembly has it on the stack.
struct DepthwiseBlocksInRow {
  const uint32_t* x;       ///< the first channel's window
  const int32_t* weights;  ///< its constants
  int8_t* out;             ///< its first output, the channels' are neighbours
  int32_t to[3];           ///< from that one to the others; 0: there is none
  int32_t x_pitch;         ///< bytes from one channel of scratch to the next
  const int32_t* end;      ///< behind the last channel's constants
  DepthwiseClamp clamp;
  const int32_t* again;  ///< weights
  int32_t x_next;        ///< bytes from the end of a block's channels to the next block
  int32_t out_next;
  int32_t blocks_left;  ///< less than 0: counted up to 0
  DepthwiseCode block;
  DepthwiseCode tail;    ///< null: the block's own
  DepthwiseCode next;    ///< from the last channel of a block to the next block
  int32_t window_words;  ///< any: of a window, even
  int32_t step[3];       ///< any: bytes from the first window to the others
  // The blocks in C++ want these.
  int32_t channel_words;  ///< constants of a channel
  decltype(DepthwiseTailInfo::finish) finish;
};

/// Blocks. Where scratch is a ring of rows, one for each row that may be the window's first: of
/// four (0 or 2), or of three.
struct DepthwiseBlockTable {
  DepthwiseCode rows[2], columns[2];  ///< 3 x 3: 2 x 2 outputs, 2 x 1
  DepthwiseCode four[1], two[1];      ///< 3 x 3: 1 x 4 outputs, 1 x 2
  DepthwiseCode four_2[3], two_2[3];  ///< the same with stride 2
  DepthwiseCode any;                  ///< any window: four outputs
  DepthwiseCode next;
};

/// The next channel of a pixel.
[[gnu::noinline]] inline void depthwise_channel(DepthwisePixel* p,
                                                const DepthwiseTailInfo& tail) noexcept {
  const int32_t* const c = p->constants;
  int32_t sum = c[0];
  for (int32_t k = 0; k < 9; ++k) {
    const int32_t pair = c[1 + k / 3 * 2 + k % 3 / 2];  // (w0, w1), (w1, w2)
    sum += *p->taps[k]++ * static_cast<int16_t>(k % 3 == 0 ? pair : pair >> 16);
  }
  *p->out = tail.finish(sum, c + 7, p->clamp);
  p->out += p->out_step;
  p->constants += 7 + tail.words;
}

}  // namespace thimble::runtime
