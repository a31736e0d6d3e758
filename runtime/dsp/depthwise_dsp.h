// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution by blocks of four outputs of each channel (depthwise_blocks.h). A row of
// inputs is packed once: the rows that the next output rows need as well are kept, if scratch has
// room for whole rows, of as many channels at a time as there is room for; else the window's rows
// are packed for as many outputs of a row as scratch has room for.
#pragma once

#include "../portable/window.h"
#include "depthwise_blocks.h"
#include "depthwise_pack.h"
#include "straight_view.h"
#include "thimble_runtime/kernels.h"
#include "thimble_runtime/uses.h"

namespace thimble::runtime {

class DepthwiseConvolution {
  static constexpr bool kRings = THIMBLE_USES_RINGS;
  static constexpr bool kAny = THIMBLE_USES_DEPTHWISE_ANY;
  static constexpr bool kStride1 = THIMBLE_USES_DEPTHWISE_STRIDE_1;
  static constexpr bool kStride2 = THIMBLE_USES_DEPTHWISE_STRIDE_2;

 public:
  /// Constants of channels, from some channel on.
  struct Constants {
    const int32_t* begin;
    int32_t channel, channels;
  };

  /// None of the region's axes is empty. in_place: out is x. The constants and the scratch are not
  /// those of the parameters.
  DepthwiseConvolution(const DepthwiseConv2DPackedParams& p, const Constants& constants,
                       const View& x, const View& out, const Region& region, int8_t* scratch,
                       int32_t scratch_bytes, const DepthwiseTailInfo& tail, bool in_place) noexcept
      : p_(p),
        constants_(constants),
        x_(x),
        out_(out),
        region_(region),
        tail_(tail),
        in_place_(in_place) {
    const Window2D& w = p.window;
    below_ = out.stride[1];
    first_in_ = p.multiplier == 1 ? region.begin[3] : region.begin[3] / p.multiplier;
    const int32_t last = p.multiplier == 1 ? region.end[3] - 1 : (region.end[3] - 1) / p.multiplier;
    channels_ = last + 1 - first_in_;
    words_ = reinterpret_cast<uint32_t*>(scratch);
    padding_ = scratch + scratch_bytes - depthwise_padding_bytes(channels_);
    room_ = (scratch_bytes - depthwise_padding_bytes(channels_) - kDepthwiseSlackBytes) /
            (channels_ * 4);
    fixed_ = !kAny || is_depthwise_3x3(w);
    block_.clamp = {p.clamp_add, p.clamp_less};
    block_.window_words = depthwise_weight_words(w);
    block_.channel_words = 1 + block_.window_words + tail.words;
    block_.next = kDepthwiseBlocks.next;
    block_.finish = tail.finish;
  }

  [[gnu::cold]] void run() noexcept {
    auto* const padding = reinterpret_cast<uint32_t*>(padding_);
    const uint32_t four = static_cast<uint8_t>(p_.input_zero_point) * 0x01010101u;
    for (int32_t k = 0; k < (channels_ + 3) / 4; ++k) padding[k] = four;
    const int32_t width = region_.end[2] - region_.begin[2];
    for (n_ = region_.begin[0]; n_ < region_.end[0]; ++n_) {
      int32_t y = region_.begin[1];
      if (kStride1 && fixed_ && p_.window.stride_h == 1 && 4 * pairs_of(width) <= room_)
        y = two_rows_at_a_time(y);
      if (kStride2 && fixed_ && p_.window.stride_h == 2 && 3 * pairs_of(width) <= room_)
        y = rows_of_stride_2(y);
      if (kAny && !fixed_ && p_.window.kernel_h * pairs_of(width) <= room_) y = rows_of_any(y);
      for (; THIMBLE_USES_DEPTHWISE_STRIPS && y < region_.end[1]; ++y) row_in_strips(y);
    }
  }

 private:
  // Pairs of columns that `count` outputs side by side read.
  int32_t pairs_of(int32_t count) const noexcept { return depthwise_pairs(p_.window, count); }

  // A strip of outputs of a row that begins at `column`: its columns beyond the input, which no row
  // changes.
  [[gnu::noinline]] void set_strip(int32_t column, int32_t outputs, int32_t slots) noexcept {
    const Window2D& w = p_.window;
    origin_ = column * w.stride_w - w.pad_left;
    slots_ = slots;
    const int32_t pairs = pairs_of(outputs);
    pitch_ = pairs * slots * 4;
    first_pair_ = origin_ < -1 ? -origin_ / 2 : 0;
    if (first_pair_ > pairs) first_pair_ = pairs;
    end_pair_ = w.in_w > origin_ ? (w.in_w - origin_ + 1) / 2 : 0;
    if (end_pair_ > pairs) end_pair_ = pairs;
    if (end_pair_ < first_pair_) end_pair_ = first_pair_;
    pack_padding(0, first_pair_ * slots, 4);
    pack_padding(end_pair_ * slots, (pairs - end_pair_) * slots, 4);
    // The other one of a last pair may be a column that no output reads.
    const int32_t read = (region_.end[2] - 1) * w.stride_w - w.pad_left + w.kernel_w;
    end_column_ = read < w.in_w ? read : w.in_w;
    const int32_t first = origin_ + 2 * first_pair_;
    begin_column_ = first < 0 ? 0 : first;
    run_ = first + 1 < end_column_ ? (end_column_ - first) / 2 : 0;
    if (run_ > end_pair_ - first_pair_) run_ = end_pair_ - first_pair_;
  }

  [[gnu::noinline]] void pack_padding(int32_t at, int32_t pairs, int32_t to_step) noexcept {
    if (pairs != 0)
      pack_pairs({padding_, padding_, words_ + at, pitch_, channels_, pairs, 0, to_step});
  }

  // Input rows `y` and the next into slots that follow one another.
  [[gnu::noinline]] void pack_two_rows(int32_t y, int32_t slot) noexcept {
    if (y >= 0 && y + 1 < p_.window.in_h && (!kAny || run_ >= 0)) {
      const InputRow upper = input_row(y), lower = input_row(y + 1);
      if (upper.wrap >= end_column_ && lower.wrap >= end_column_)
        return pack_row(upper, slot, static_cast<int32_t>(lower.at - upper.at));
    }
    pack_row(y, slot);
    pack_row(y + 1, slot + 1);
  }

  struct InputRow {
    const int8_t* at;  // column 0
    int32_t wrap;      // columns from here on are at the ring's beginning
  };
  InputRow input_row(int32_t y) const noexcept {
    const int32_t step = x_.stride[2];
    int32_t first = n_ * x_.stride[0] + y * x_.stride[1] - x_.bias;
    int32_t wrap = end_column_;
    if (kRings && x_.modulus != 0) {
      const int32_t left = begin_column_;  // nothing is known of those before
      const int32_t at = (first + left * step) % x_.modulus;
      wrap = left + (x_.modulus - at + step - 1) / step;
      first = at - left * step - x_.channel;
    }
    return {static_cast<const int8_t*>(x_.data) + first + first_in_, wrap};
  }

  // Input row `y` into a slot of the strip's pairs.
  [[gnu::noinline]] void pack_row(int32_t y, int32_t slot) noexcept {
    if (y >= 0 && y < p_.window.in_h) return pack_row(input_row(y), slot, 0);
    pack_padding(first_pair_ * slots_ + slot, end_pair_ - first_pair_, slots_ * 4);
  }
  // below: to the row that goes into the next slot, as pack_two_rows allows; 0: none.
  [[gnu::noinline]] void pack_row(const InputRow& in, int32_t slot, int32_t below) noexcept {
    const int32_t count = end_pair_ - first_pair_;
    const int32_t step = x_.stride[2];
    const int8_t* const row = in.at;
    const int32_t column = origin_ + 2 * first_pair_;  // of the left one of a pair
    DepthwisePairsOfTwo rows{
        {column < 0 ? padding_ : row + column * step, row + (column + 1) * step,
         words_ + first_pair_ * slots_ + slot, pitch_, channels_, run_, step, slots_ * 4},
        nullptr,
        nullptr};
    DepthwisePairs& pairs = rows.first;
    if ((kRings && in.wrap < end_column_) || (kAny && run_ < 0))
      return pack_pieces(pairs, row, in.wrap);
    uint32_t* const to = pairs.to;
    if (run_ != 0) pack_rows(rows, below);
    if (run_ == count) return;
    const int32_t last = column + 2 * run_;  // the next one is beyond what outputs read
    pairs.to = to + run_ * slots_;
    pairs.left = last < 0 || last >= end_column_ ? padding_ : row + last * step;
    pairs.right = padding_;
    pairs.pairs = 1;
    pack_rows(rows, below);
  }

  // below: from a row to the next one, which goes into the next slot; 0: one row alone.
  [[gnu::noinline]] void pack_rows(DepthwisePairsOfTwo& rows, int32_t below) const noexcept {
    if (below == 0) return pack_pairs(rows.first);
    const auto next = [&](const int8_t* from) noexcept {
      return from == padding_ ? from : from + below;
    };
    rows.left = next(rows.first.left);
    rows.right = next(rows.first.right);
    pack_pairs_of_two(rows);
  }

  // Any row; columns from `wrap` on are at the ring's beginning.
  [[gnu::noinline]] void pack_pieces(DepthwisePairs& pairs, const int8_t* row,
                                     int32_t wrap) noexcept {
    int32_t column = origin_ + 2 * first_pair_;
    for (int32_t left = end_pair_ - first_pair_; left > 0;) {
      const auto at = [&](int32_t k) noexcept -> const int8_t* {
        if (k < 0 || k >= end_column_) return padding_;
        return row + k * pairs.step - (k >= wrap ? x_.modulus : 0);
      };
      pairs.left = at(column);
      pairs.right = at(column + 1);
      const int32_t end = column + 1 < wrap && wrap < end_column_ ? wrap : end_column_;
      const bool run = column + 1 >= 0 && column + 1 < end;
      pairs.pairs = run ? (end - column) / 2 : 1;
      if (pairs.pairs > left) pairs.pairs = left;
      pack_pairs(pairs);
      pairs.to += pairs.pairs * slots_;
      column += 2 * pairs.pairs;
      left -= pairs.pairs;
    }
  }

  [[gnu::cold, gnu::noinline]] int32_t two_rows_at_a_time(int32_t y) noexcept {
    if (region_.end[1] - y < 2) return y;
    const Window2D& w = p_.window;
    const int32_t begin = region_.begin[2];
    const int32_t end = region_.end[2];
    set_strip(begin, end - begin, 4);
    pack_two_rows(y - w.pad_top, 0);
    // A last row alone goes without them: but in place, where its inputs are no more.
    const int32_t last = region_.end[1] - (in_place_ ? 1 : 2);
    for (int32_t slot = 0; y <= last; y += 2, slot ^= 2) {
      const bool both = y + 1 < region_.end[1];
      begin_rows(y, begin, end, both);
      if (both) {
        pack_two_rows(y - w.pad_top + 2, slot ^ 2);
      } else {
        pack_row(y - w.pad_top + 2, slot ^ 2);
      }
      for (int32_t column = begin; column < end;) {
        const int32_t blocks = blocks_of(2, end - column);
        const bool two = column + 1 < end;
        int8_t* const to = output(y, column);
        block_.to[two ? 1 : 0] = both ? distance(y, column, 1, 0) : 0;
        if (two) {
          block_.to[0] = distance(y, column, 0, 1);
          block_.to[2] = both ? distance(y, column, 1, 1) : 0;
        }
        set_code(two ? kDepthwiseBlocks.rows[slot / 2] : kDepthwiseBlocks.columns[slot / 2], two);
        channels({(column - begin) / 2 * 4, 4, 2, blocks}, to, 0);
        column += 2 * blocks;
      }
    }
    return y;
  }

  [[gnu::cold, gnu::noinline]] int32_t rows_of_stride_2(int32_t y) noexcept {
    const Window2D& w = p_.window;
    const int32_t begin = region_.begin[2];
    set_strip(begin, region_.end[2] - begin, 3);
    int32_t in = y * 2 - w.pad_top;
    int32_t slot = 0;  // of row `in`
    pack_row(in, 0);
    for (; y < region_.end[1]; ++y) {
      const int32_t next = slot == 2 ? 0 : slot + 1;
      const int32_t last = next == 2 ? 0 : next + 1;
      if (last == next + 1) {
        pack_two_rows(in + 1, next);
      } else {
        pack_row(in + 1, next);
        pack_row(in + 2, last);
      }
      row_of_blocks(kDepthwiseBlocks.four_2[slot], kDepthwiseBlocks.two_2[slot], y, begin,
                    region_.end[2]);
      in += 2;
      slot = last;
    }
    return y;
  }

  // Scratch is one run of words [..][row]: all rows move by one when all words do.
  [[gnu::cold]] int32_t rows_of_any(int32_t y) noexcept {
    const Window2D& w = p_.window;
    const int32_t begin = region_.begin[2];
    const int32_t step = w.stride_h;
    if (step >= w.kernel_h) return y;
    set_strip(begin, region_.end[2] - begin, w.kernel_h);
    first_pair_ = 0;  // what moves in from the next pair is to be packed again
    end_pair_ = pairs_of(region_.end[2] - begin);
    run_ = -1;
    for (int32_t kept = 0;; kept = w.kernel_h - step) {
      for (int32_t k = kept; k < w.kernel_h; ++k) pack_row(y * step - w.pad_top + k, k);
      any_window(y, begin, region_.end[2]);
      if (++y == region_.end[1]) return y;
      move_down(words_, words_ + step, words_ + channels_ * (pitch_ / 4));
    }
  }

  [[gnu::cold]] void row_in_strips(int32_t y) noexcept {
    const Window2D& w = p_.window;
    const int32_t slots = w.kernel_h;
    const int32_t most = depthwise_outputs(w, room_ / slots);
    for (int32_t column = region_.begin[2]; column < region_.end[2];) {
      const int32_t left = region_.end[2] - column;
      // All that is left, if there is room for it: in place a single row must be read at once.
      const int32_t count = slots * pairs_of(left) <= room_ ? left : most;
      set_strip(column, count, slots);
      const int32_t first = y * w.stride_h - w.pad_top;
      if (fixed_) pack_two_rows(first, 0);
      for (int32_t k = fixed_ ? 2 : 0; k < slots; ++k) pack_row(first + k, k);
      if (kAny && !fixed_) {
        any_window(y, column, column + count);
      } else {
        const bool one = kStride1 && (!kStride2 || w.stride_w == 1);
        row_of_blocks(one ? kDepthwiseBlocks.four[0] : kDepthwiseBlocks.four_2[0],
                      one ? kDepthwiseBlocks.two[0] : kDepthwiseBlocks.two_2[0], y, column,
                      column + count);
      }
      column += count;
    }
  }

  // Windows of 3 x 3: outputs [begin, end) of row y, from the first of the strip on.
  void row_of_blocks(DepthwiseCode four, DepthwiseCode two, int32_t y, int32_t begin,
                     int32_t end) noexcept {
    begin_rows(y, begin, end, false);
    const int32_t words = 2 * p_.window.stride_w * slots_;
    for (int32_t column = begin; column < end;) {
      int8_t* const to = output(y, column);
      for (int32_t i = 1; i < 4; ++i) {
        block_.to[i - 1] = column + i < end ? distance(y, column, 0, i) : 0;
      }
      const int32_t blocks = blocks_of(4, end - column);
      const bool many = end - column > 2;
      set_code(many ? four : two, many);
      channels({(column - begin) / 4 * words, words, 4, blocks}, to, 0);
      column += 4 * blocks;
    }
  }

  // Any window: four outputs whose windows begin at even columns, or at odd ones.
  [[gnu::cold]] void any_window(int32_t y, int32_t begin, int32_t end) noexcept {
    const int32_t stride = p_.window.stride_w;
    const int32_t every = stride % 2 == 0 ? 1 : 2;  // outputs with the same form of weights
    begin_rows(y, begin, end, false);
    set_code(kDepthwiseBlocks.any, true);
    for (int32_t form = 0; form < every; ++form) {
      for (int32_t column = begin + form; column < end;) {
        int8_t* const to = output(y, column);
        for (int32_t i = 1; i < 4; ++i) {
          const int32_t other = column + i * every;
          block_.to[i - 1] = other < end ? distance(y, column, 0, i * every) : 0;
          block_.step[i - 1] = other < end ? i * every * stride / 2 * slots_ * 4 : 0;
        }
        const int32_t blocks = blocks_of(4 * every, end - column);
        channels({(column - begin) * stride / 2 * slots_, 2 * every * stride * slots_, 4 * every,
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

  // Outputs of row y, and of the next one if both, come next: whether the ring ends within a row.
  void begin_rows(int32_t y, int32_t begin, int32_t end, bool both) noexcept {
    if (!kRings || out_.modulus == 0) return;
    below_ = both ? static_cast<int32_t>(output(y + 1, begin) - output(y, begin)) : 0;
    ring_ends_ =
        !is_run(out_, n_, y, begin, end - 1) || (both && !is_run(out_, n_, y + 1, begin, end - 1));
  }

  // How many of them one call does.
  int32_t blocks_of(int32_t columns, int32_t left) const noexcept {
    return left < 2 * columns || (kRings && ring_ends_) ? 1 : left / columns;
  }

  // of_four: outputs, or of two.
  void set_code(DepthwiseCode block, bool of_four) noexcept {
    block_.block = block;
    block_.tail = of_four ? tail_.of_four : tail_.of_two;
  }

  // The region's channels of blocks.
  [[gnu::noinline]] void channels(const Span& span, int8_t* to, int32_t form) noexcept {
    const int32_t* const constants =
        constants_.begin + form * constants_.channels * block_.channel_words;
    const bool dense = out_.stride[3] == 1;
    const int32_t step = span.columns * out_.stride[2];
    block_.x_pitch = p_.multiplier == 1 ? pitch_ : 0;
    for (int32_t o = region_.begin[3]; o < region_.end[3];) {
      const int32_t in = p_.multiplier == 1 ? o : o / p_.multiplier;
      int32_t end = region_.end[3];
      if (p_.multiplier != 1 && (in + 1) * p_.multiplier < end) end = (in + 1) * p_.multiplier;
      if (!dense) end = o + 1;
      block_.x = words_ + (in - first_in_) * (pitch_ / 4) + span.at;
      block_.weights = constants + (o - constants_.channel) * block_.channel_words;
      block_.end = constants + (end - constants_.channel) * block_.channel_words;
      block_.again = block_.weights;
      block_.out = to + (o - region_.begin[3]) * out_.stride[3];
      block_.x_next = span.words * 4 - (end - o) * block_.x_pitch;
      block_.out_next = step - (end - o);
      block_.blocks_left = -span.blocks;
      run_blocks(block_);
      o = end;
    }
  }

  [[gnu::noinline]] int8_t* output(int32_t y, int32_t column) const noexcept {
    return pixel<int8_t>(out_, n_, y, column) + region_.begin[3] * out_.stride[3];
  }
  // Elements from an output pixel to another one.
  int32_t distance(int32_t y, int32_t column, int32_t rows, int32_t columns) const noexcept {
    if (!kRings || !ring_ends_) return rows * below_ + columns * out_.stride[2];
    return static_cast<int32_t>(output(y + rows, column + columns) - output(y, column));
  }

  const DepthwiseConv2DPackedParams& p_;
  const Constants constants_;
  const View& x_;
  const View& out_;
  const Region& region_;
  const DepthwiseTailInfo& tail_;
  bool in_place_;
  int32_t first_in_ = 0;  // input channel
  int32_t channels_ = 0;  // of the input
  uint32_t* words_ = nullptr;
  int8_t* padding_ = nullptr;
  int32_t room_ = 0;  // words of scratch for each channel
  bool fixed_ = false;
  int32_t n_ = 0;
  int32_t origin_ = 0;                         // input column of the strip's first pair
  int32_t first_pair_ = 0, end_pair_ = 0;      // those that read inputs
  int32_t begin_column_ = 0, end_column_ = 0;  // that they read
  int32_t run_ = 0;  // pairs whose right column is an input; -1: among others
  int32_t slots_ = 0, pitch_ = 0;
  int32_t below_ = 0;       // elements from an output to the one in the next row
  bool ring_ends_ = false;  // within a row of outputs
  DepthwiseBlocksInRow block_{};
};

/// Whether nothing that the region reads lies among what it writes.
[[gnu::cold, gnu::noinline]] inline bool is_apart(const Window2D& w, const View& x, const View& out,
                                                  const Region& region) noexcept {
  const auto inside = [](int32_t k, int32_t end) noexcept { return limit(k, 0, end - 1); };
  const int32_t top = inside(region.begin[1] * w.stride_h - w.pad_top, w.in_h);
  const int32_t left = inside(region.begin[2] * w.stride_w - w.pad_left, w.in_w);
  const int32_t bottom =
      inside((region.end[1] - 1) * w.stride_h - w.pad_top + w.kernel_h - 1, w.in_h);
  const int32_t right =
      inside((region.end[2] - 1) * w.stride_w - w.pad_left + w.kernel_w - 1, w.in_w);
  const auto* x_begin = static_cast<const int8_t*>(x.data);
  const int8_t* x_end = x_begin + x.modulus;
  if (x.modulus == 0) {
    x_begin = pixel<const int8_t>(x, region.begin[0], top, left);
    x_end = pixel<const int8_t>(x, region.end[0] - 1, bottom, right) + region.end[3];
  }
  const auto* out_begin = static_cast<const int8_t*>(out.data);
  const int8_t* out_end = out_begin + out.modulus;
  if (out.modulus == 0) {
    out_begin = pixel<const int8_t>(out, region.begin[0], region.begin[1], region.begin[2]);
    out_end = pixel<const int8_t>(out, region.end[0] - 1, region.end[1] - 1, region.end[2] - 1) +
              (region.end[3] - 1) * out.stride[3] + 1;
  }
  return x_end <= out_begin || out_end <= x_begin;
}

/// The region's channels, `most` at a time.
[[gnu::cold, gnu::noinline]] inline void convolve_channels(const DepthwiseConv2DPackedParams& p,
                                                           const View& x, const View& out,
                                                           const Region& region, int8_t* scratch,
                                                           const DepthwiseTailInfo& tail,
                                                           int32_t most, bool in_place) noexcept {
  Region part = region;
  do {
    const int32_t left = region.end[3] - part.begin[3];
    part.end[3] = part.begin[3] + (left < most ? left : most);
    DepthwiseConvolution(p, {p.constants, 0, p.out_channels}, x, out, part, scratch,
                         p.scratch_bytes, tail, in_place)
        .run();
    part.begin[3] = part.end[3];
  } while (part.end[3] != region.end[3]);
}

/// Calls `visit` with each pixel of the region, all of its channels.
template <class Visit>
void each_pixel(const Region& region, const Visit& visit) noexcept {
  Region one = region;
  for (one.begin[0] = region.begin[0]; one.begin[0] < region.end[0]; ++one.begin[0]) {
    one.end[0] = one.begin[0] + 1;
    for (one.begin[1] = region.begin[1]; one.begin[1] < region.end[1]; ++one.begin[1]) {
      one.end[1] = one.begin[1] + 1;
      for (one.begin[2] = region.begin[2]; one.begin[2] < region.end[2]; ++one.begin[2]) {
        one.end[2] = one.begin[2] + 1;
        visit(one);
      }
    }
  }
}

inline bool is_empty(const Region& region) noexcept {
  for (int32_t axis = 0; axis < 4; ++axis) {
    if (region.end[axis] == region.begin[axis]) return true;
  }
  return false;
}

/// In place: as many channels at a time as there is room for.
[[gnu::cold, gnu::noinline]] inline void convolve_depthwise_in_place(
    const DepthwiseConv2DPackedParams& p, const View& x, const View& out, const Region& region,
    int8_t* scratch, const DepthwiseTailInfo& tail) noexcept {
  if (is_empty(region)) return;
  const int32_t fours = depthwise_fours(p.window, p.scratch_bytes, region.end[2] - region.begin[2],
                                        region.end[1] - region.begin[1]);
  convolve_channels(p, x, out, region, scratch, tail, fours == 0 ? 4 : 4 * fours, true);
}

}  // namespace thimble::runtime
