// SPDX-License-Identifier: Apache-2.0
// The blocks of depthwise_blocks.h in C++.
#pragma once

#include "depthwise_block.h"

namespace thimble::runtime {

struct DepthwiseBlocks {
  /// Row `slot` of scratch is row 0 of the windows, of `slots` rows; the outputs' windows begin at
  /// these columns and rows.
  struct Windows {
    int32_t slots, slot;
    int32_t count;
    int32_t column[4], row[4];
  };
  static int32_t at(const uint32_t* x, const Windows& w, int32_t row, int32_t column) noexcept {
    const uint32_t pair = x[column / 2 * w.slots + (w.slot + row) % w.slots];
    return static_cast<int16_t>(column % 2 == 0 ? pair : pair >> 16);
  }
  /// Tap of a window of 3 x 3 in the constants of a channel: (w0, w1) and (w1, w2) of each row.
  static int32_t tap(const int32_t* weights, int32_t row, int32_t column) noexcept {
    const int32_t pair = weights[1 + 2 * row + column / 2];
    return static_cast<int16_t>(column == 0 ? pair : pair >> 16);
  }
  static void store(const DepthwiseBlocksInRow* b, const int32_t (&sum)[4], int32_t count,
                    const int32_t* constants, int8_t* out) noexcept {
    for (int32_t i = 1; i < count; ++i) out[b->to[i - 1]] = b->finish(sum[i], constants, b->clamp);
    *out = b->finish(sum[0], constants, b->clamp);
  }
  static void window_3x3(const DepthwiseBlocksInRow* b, const Windows& w) noexcept {
    const uint32_t* x = b->x;
    int8_t* out = b->out;
    for (int32_t k = b->blocks_left; k < 0; ++k, x += b->x_next / 4, out += b->out_next)
      channels_3x3(b, w, x, out);
  }
  static void channels_3x3(const DepthwiseBlocksInRow* b, const Windows& w, const uint32_t*& x,
                           int8_t*& out) noexcept {
    for (const int32_t* c = b->weights; c != b->end; c += b->channel_words) {
      int32_t sum[4];
      for (int32_t i = 0; i < w.count; ++i) {
        sum[i] = c[0];
        for (int32_t k = 0; k < 9; ++k)
          sum[i] += at(x, w, w.row[i] + k / 3, w.column[i] + k % 3) * tap(c, k / 3, k % 3);
      }
      store(b, sum, w.count, c + 7, out++);
      x += b->x_pitch / 4;
    }
  }
  static void rows_0(const DepthwiseBlocksInRow* b) noexcept {
    window_3x3(b, {4, 0, 4, {0, 1, 0, 1}, {0, 0, 1, 1}});
  }
  static void rows_2(const DepthwiseBlocksInRow* b) noexcept {
    window_3x3(b, {4, 2, 4, {0, 1, 0, 1}, {0, 0, 1, 1}});
  }
  static void column_0(const DepthwiseBlocksInRow* b) noexcept {
    window_3x3(b, {4, 0, 2, {0, 0}, {0, 1}});
  }
  static void column_2(const DepthwiseBlocksInRow* b) noexcept {
    window_3x3(b, {4, 2, 2, {0, 0}, {0, 1}});
  }
  static void row(const DepthwiseBlocksInRow* b) noexcept {
    window_3x3(b, {3, 0, 4, {0, 1, 2, 3}, {0, 0, 0, 0}});
  }
  static void row_of_two(const DepthwiseBlocksInRow* b) noexcept {
    window_3x3(b, {3, 0, 2, {0, 1}, {0, 0}});
  }
  static void stride_2_0(const DepthwiseBlocksInRow* b) noexcept {
    window_3x3(b, {3, 0, 4, {0, 2, 4, 6}, {0, 0, 0, 0}});
  }
  static void stride_2_1(const DepthwiseBlocksInRow* b) noexcept {
    window_3x3(b, {3, 1, 4, {0, 2, 4, 6}, {0, 0, 0, 0}});
  }
  static void stride_2_2(const DepthwiseBlocksInRow* b) noexcept {
    window_3x3(b, {3, 2, 4, {0, 2, 4, 6}, {0, 0, 0, 0}});
  }
  static void two_of_stride_2_0(const DepthwiseBlocksInRow* b) noexcept {
    window_3x3(b, {3, 0, 2, {0, 2}, {0, 0}});
  }
  static void two_of_stride_2_1(const DepthwiseBlocksInRow* b) noexcept {
    window_3x3(b, {3, 1, 2, {0, 2}, {0, 0}});
  }
  static void two_of_stride_2_2(const DepthwiseBlocksInRow* b) noexcept {
    window_3x3(b, {3, 2, 2, {0, 2}, {0, 0}});
  }
  static void any(const DepthwiseBlocksInRow* b) noexcept {
    const uint32_t* x = b->x;
    int8_t* out = b->out;
    for (int32_t k = b->blocks_left; k < 0; ++k, x += b->x_next / 4, out += b->out_next)
      channels_of_any(b, x, out);
  }
  static void channels_of_any(const DepthwiseBlocksInRow* b, const uint32_t*& x,
                              int8_t*& out) noexcept {
    for (const int32_t* c = b->weights; c != b->end; c += b->channel_words) {
      int32_t sum[4];
      for (int32_t i = 0; i < 4; ++i) {
        const uint32_t* window = x + (i == 0 ? 0 : b->step[i - 1] / 4);
        sum[i] = c[0];
        for (int32_t k = 0; k < b->window_words; ++k)
          sum[i] = dual_multiply_add(window[k], static_cast<uint32_t>(c[1 + k]), sum[i]);
      }
      store(b, sum, 4, c + 1 + b->window_words, out++);
      x += b->x_pitch / 4;
    }
  }
  static constexpr DepthwiseCode next = nullptr;
};

inline void run_blocks(const DepthwiseBlocksInRow& b) noexcept { b.block(&b); }

template <class Tail>
struct DepthwiseTailCode {
  static constexpr DepthwiseCode of_four = nullptr, of_two = nullptr;
  static void pixel(DepthwisePixel* p) noexcept {
    const DepthwiseTailInfo tail{Tail::kConstants, of_four, of_two, Tail::finish};
    for (int32_t left = 4 * p->fours; left > 0; --left) depthwise_channel(p, tail);
    p->fours = 0;
  }
};

}  // namespace thimble::runtime
