// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution by blocks of four outputs of each channel (depthwise_blocks.h). A row of
// inputs is packed once: a window of 3 x 3 keeps the rows that the next output rows need as well,
// if scratch has room for whole rows; else, and with other windows, the window's rows are packed
// for as many outputs of a row as scratch has room for.
#pragma once

#include "../portable/window.h"
#include "depthwise_blocks.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {

template <class Tail>
class DepthwiseConvolution {
 public:
  DepthwiseConvolution(const DepthwiseConv2DPackedParams& p, const View& x, const View& out,
                       const Region& region, int8_t* scratch) noexcept
      : p_(p), x_(x), out_(out), region_(region) {
    const Window2D& w = p.window;
    first_in_ = p.multiplier == 1 ? region.begin[3] : region.begin[3] / p.multiplier;
    const int32_t last =
        p.multiplier == 1 ? region.end[3] - 1 : (region.end[3] - 1) / p.multiplier;
    channels_ = last + 1 - first_in_;
    words_ = reinterpret_cast<uint32_t*>(scratch);
    padding_ = scratch + p.scratch_bytes - depthwise_padding_bytes(channels_);
    room_ = (p.scratch_bytes - depthwise_padding_bytes(channels_) - kDepthwiseSlackBytes) /
            (channels_ * 4);
    fixed_ = is_depthwise_3x3(w);
    constant_words_ = 1 + depthwise_weight_words(w) + Tail::kConstants;
    block_.clamp = {p.clamp_add, p.clamp_less};
    block_.window_words = constant_words_ - 1 - Tail::kConstants;
  }

  void run() noexcept {
    for (int32_t c = 0; c < channels_; ++c) padding_[c] = static_cast<int8_t>(p_.input_zero_point);
    const int32_t width = region_.end[2] - region_.begin[2];
    for (n_ = region_.begin[0]; n_ < region_.end[0]; ++n_) {
      int32_t y = region_.begin[1];
      if (fixed_ && p_.window.stride_h == 1 && 4 * pairs_of(width) <= room_)
        y = two_rows_at_a_time(y);
      if (fixed_ && p_.window.stride_h == 2 && 3 * pairs_of(width) <= room_)
        y = rows_of_stride_2(y);
      for (; y < region_.end[1]; ++y) row_in_strips(y);
    }
  }

 private:
  using Block = void (*)(const DepthwiseBlocksInRow*) noexcept;

  // Pairs of columns that `count` outputs side by side read.
  int32_t pairs_of(int32_t count) const noexcept {
    return depthwise_pairs(p_.window, count);
  }

  // Input row `y` of the strip that begins at output column `column`, into a slot of each pair.
  void pack_row(int32_t y, int32_t column, int32_t slot) noexcept {
    const Window2D& w = p_.window;
    const int32_t origin = column * w.stride_w - w.pad_left;  // the first pair's left column
    DepthwisePairs pairs{padding_,  padding_, words_ + slot, pitch_,
                         channels_, pairs_,   0,             slots_ * 4};
    if (y < 0 || y >= w.in_h) {
      pack_pairs(pairs);
      return;
    }
    int32_t first = n_ * x_.stride[0] + y * x_.stride[1] - x_.bias;  // column 0
    int32_t wrap = w.in_w;  // columns from here on are at the ring's beginning
    if (x_.modulus != 0) {
      // The leftmost column that is there: of others nothing is known.
      const int32_t left = origin < 0 ? 0 : origin;
      const int32_t at = (first + left * x_.stride[2]) % x_.modulus;
      wrap = left + (x_.modulus - at + x_.stride[2] - 1) / x_.stride[2];
      first = at - left * x_.stride[2] - x_.channel;
    }
    const auto* const row = static_cast<const int8_t*>(x_.data) + first + first_in_;
    const auto at = [&](int32_t q) noexcept -> const int8_t* {
      if (q < 0 || q >= w.in_w) return padding_;
      return row + q * x_.stride[2] - (q >= wrap ? x_.modulus : 0);
    };
    const int32_t end = wrap < w.in_w ? wrap : w.in_w;  // of what follows one another
    for (int32_t k = 0; k < pairs_;) {
      const int32_t q = origin + 2 * k;
      pairs.left = at(q);
      pairs.right = at(q + 1);
      pairs.pairs = 1;
      if (q >= 0 && q + 3 < end) {
        const int32_t inside = (end - q) / 2;
        pairs.pairs = inside < pairs_ - k ? inside : pairs_ - k;
        pairs.step = 2 * x_.stride[2];
      }
      pack_pairs(pairs);
      pairs.to += pairs.pairs * slots_;
      k += pairs.pairs;
    }
  }

  void set_strip(int32_t outputs, int32_t slots) noexcept {
    pairs_ = pairs_of(outputs);
    slots_ = slots;
    pitch_ = pairs_ * slots * 4;
  }

  int32_t two_rows_at_a_time(int32_t y) noexcept {
    if (region_.end[1] - y < 2) return y;
    const Window2D& w = p_.window;
    const int32_t begin = region_.begin[2];
    const int32_t end = region_.end[2];
    set_strip(end - begin, 4);
    pack_row(y - w.pad_top, begin, 0);
    pack_row(y - w.pad_top + 1, begin, 1);
    for (int32_t slot = 0; y + 2 <= region_.end[1]; y += 2, slot ^= 2) {
      pack_row(y - w.pad_top + 2, begin, slot ^ 2);
      pack_row(y - w.pad_top + 3, begin, slot ^ 3);
      const Block block =
          slot == 0 ? DepthwiseBlocks<Tail>::two_rows_0 : DepthwiseBlocks<Tail>::two_rows_2;
      for (int32_t column = begin; column < end;) {
        const int32_t blocks = even(y, column, end, 2) && even(y + 1, column, end, 2)
                                   ? (end - column) / 2
                                   : 1;
        int8_t* const to = output(y, column);
        const int32_t below = static_cast<int32_t>(output(y + 1, column) - to);
        const bool two = column + 1 < end;
        block_.to[0] = two ? static_cast<int32_t>(output(y, column + 1) - to) : 0;
        block_.to[1] = below;
        block_.to[2] = two ? static_cast<int32_t>(output(y + 1, column + 1) - to) : 0;
        channels(block, {(column - begin) / 2 * 4, 4, 2, blocks}, to, 0);
        column += 2 * blocks;
      }
    }
    return y;
  }

  int32_t rows_of_stride_2(int32_t y) noexcept {
    const Window2D& w = p_.window;
    const int32_t begin = region_.begin[2];
    set_strip(region_.end[2] - begin, 3);
    int32_t in = y * 2 - w.pad_top;
    int32_t slot = 0;  // of row `in`
    pack_row(in, begin, 0);
    for (; y < region_.end[1]; ++y) {
      const int32_t next = slot == 2 ? 0 : slot + 1;
      const int32_t last = next == 2 ? 0 : next + 1;
      pack_row(in + 1, begin, next);
      pack_row(in + 2, begin, last);
      blocks_of_four(slot == 0   ? DepthwiseBlocks<Tail>::stride_2_0
                     : slot == 1 ? DepthwiseBlocks<Tail>::stride_2_1
                                 : DepthwiseBlocks<Tail>::stride_2_2,
                     y, begin, region_.end[2]);
      in += 2;
      slot = last;
    }
    return y;
  }

  void row_in_strips(int32_t y) noexcept {
    const Window2D& w = p_.window;
    const int32_t slots = w.kernel_h;
    const int32_t most = depthwise_outputs(w, room_ / slots);
    for (int32_t column = region_.begin[2]; column < region_.end[2];) {
      const int32_t left = region_.end[2] - column;
      const int32_t count = left < most ? left : most;
      set_strip(count, slots);
      for (int32_t k = 0; k < slots; ++k) pack_row(y * w.stride_h - w.pad_top + k, column, k);
      if (!fixed_) {
        any_window(y, column, column + count);
      } else {
        blocks_of_four(w.stride_w == 1 ? DepthwiseBlocks<Tail>::one_row
                                       : DepthwiseBlocks<Tail>::stride_2_0,
                       y, column, column + count);
      }
      column += count;
    }
  }

    // Windows of 3 x 3: outputs [begin, end) of row y, from the first of the strip on.
  void blocks_of_four(Block block, int32_t y, int32_t begin, int32_t end) noexcept {
    const int32_t words = 2 * p_.window.stride_w * slots_;
    for (int32_t column = begin; column < end;) {
      int8_t* const to = output(y, column);
      for (int32_t i = 1; i < 4; ++i) {
        block_.to[i - 1] =
            column + i < end ? static_cast<int32_t>(output(y, column + i) - to) : 0;
      }
      const int32_t blocks = even(y, column, end, 4) ? (end - column) / 4 : 1;
      channels(block, {(column - begin) / 4 * words, words, 4, blocks}, to, 0);
      column += 4 * blocks;
    }
  }

  // Any window: four outputs whose windows begin at even columns, or at odd ones.
  void any_window(int32_t y, int32_t begin, int32_t end) noexcept {
    const int32_t stride = p_.window.stride_w;
    const int32_t every = stride % 2 == 0 ? 1 : 2;  // outputs with the same form of weights
    for (int32_t form = 0; form < every; ++form) {
      for (int32_t column = begin + form; column < end;) {
        int8_t* const to = output(y, column);
        for (int32_t i = 1; i < 4; ++i) {
          const int32_t other = column + i * every;
          block_.to[i - 1] = other < end ? static_cast<int32_t>(output(y, other) - to) : 0;
          block_.step[i - 1] = other < end ? i * every * stride / 2 * slots_ * 4 : 0;
        }
        const int32_t blocks = even(y, column, end, 4 * every) ? (end - column) / (4 * every) : 1;
        channels(DepthwiseBlocks<Tail>::any,
                 {(column - begin) * stride / 2 * slots_, 2 * every * stride * slots_, 4 * every,
                  blocks},
                 to, form);
        column += 4 * every * blocks;
      }
    }
  }

  // Blocks side by side.
  struct Span {
    int32_t at;       // words from the strip's beginning to the first window
    int32_t words;    // from one block to the next
    int32_t columns;  // of a block
    int32_t blocks;
  };

  // Whether outputs [column, end) follow one another in memory, and are more than one block.
  bool even(int32_t y, int32_t column, int32_t end, int32_t block) const noexcept {
    if (end - column < 2 * block) return false;
    return out_.modulus == 0 || output(y, end - 1) - output(y, column) ==
                                    static_cast<intptr_t>(end - 1 - column) * out_.stride[2];
  }

  // The region's channels of blocks.
  void channels(Block block, const Span& span, int8_t* to, int32_t form) noexcept {
    const int32_t* const constants =
        p_.constants + form * p_.out_channels * constant_words_;
    const bool dense = out_.stride[3] == 1;
    const int32_t step = span.columns * out_.stride[2];
    block_.x_pitch = p_.multiplier == 1 ? pitch_ : 0;
    for (int32_t o = region_.begin[3]; o < region_.end[3];) {
      const int32_t in = p_.multiplier == 1 ? o : o / p_.multiplier;
      int32_t end = region_.end[3];
      if (p_.multiplier != 1 && (in + 1) * p_.multiplier < end) end = (in + 1) * p_.multiplier;
      if (!dense) end = o + 1;
      block_.x = words_ + (in - first_in_) * (pitch_ / 4) + span.at;
      block_.weights = constants + o * constant_words_;
      block_.end = constants + end * constant_words_;
      block_.again = block_.weights;
      block_.out = to + (o - region_.begin[3]) * out_.stride[3];
      block_.x_next = span.words * 4 - (end - o) * block_.x_pitch;
      block_.out_next = step - (end - o);
      block_.blocks = span.blocks;
      block(&block_);
      o = end;
    }
  }

  int8_t* output(int32_t y, int32_t column) const noexcept {
    return pixel<int8_t>(out_, n_, y, column) + region_.begin[3] * out_.stride[3];
  }

  const DepthwiseConv2DPackedParams& p_;
  const View& x_;
  const View& out_;
  const Region& region_;
  int32_t first_in_ = 0;  // input channel
  int32_t channels_ = 0;  // of the input
  uint32_t* words_ = nullptr;
  int8_t* padding_ = nullptr;
  int32_t room_ = 0;  // words of scratch for each channel
  bool fixed_ = false;
  int32_t constant_words_ = 0;  // of a channel
  int32_t n_ = 0;
  int32_t pairs_ = 0, slots_ = 0, pitch_ = 0;
  DepthwiseBlocksInRow block_{};
};

}  // namespace thimble::runtime
