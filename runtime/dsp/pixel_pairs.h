// SPDX-License-Identifier: Apache-2.0
// Every two output pixels: their windows in 16 bits, then all channels of both.
#pragma once

#include "../portable/store_channels.h"
#include "pair_products.h"
#include "thimble_runtime/kernels.h"
#include "window_reader.h"

namespace thimble::runtime {

/// Weights: how they are held (wide_weights.h, compact_weights.h).
template <class Weights>
class PixelPairs {
  using Inputs = typename Weights::Inputs;

 public:
  /// window: p's, or what joins its rows.
  PixelPairs(const Conv2DPairsParams& p, const Window2D& window, const View& x, const View& out,
             const Region& region, int8_t* scratch) noexcept
      : p_(p),
        x_(x),
        view_(out),
        region_(region),
        begin_(region.begin[3]),
        end_(region.end[3]),
        rows_(window_rows(window, p.in_channels, p.input_zero_point, x)) {
    inputs_ = p.window.kernel_h * p.window.kernel_w * p.in_channels;
    in_place_ = inputs_ == p.in_channels || p.in_channels % 4 == 0;
    words_ = reinterpret_cast<uint32_t*>(scratch);
    block_.x = words_;
    block_.fours = (inputs_ + 3) / 4;
    block_.tail = static_cast<Tail>(p.tail);
    block_.clamps = static_cast<uint32_t>(127 - p.clamp_max) |
                    static_cast<uint32_t>(p.clamp_min + 128) << 8 |
                    (static_cast<uint32_t>(p.output_zero_point) & 255) << 16;
    const bool sums = block_.tail == Tail::kSums;
    whole_begin_ = sums ? end_ : begin_ + begin_ % 2;
    whole_end_ = end_ - end_ % 2;
    whole_ = whole_begin_ < whole_end_;
    edges_ = sums || begin_ % 2 != 0 || end_ % 2 != 0;
    first_ = pair(whole_begin_);
    if (Weights::kRests) {
      rests_ = pair(p.out_channels + p.out_channels % 2);
      while (*rests_ < begin_ - begin_ % 2) rests_ += 2;
    }
  }

  /// last: of all.
  void add_row(int32_t n, int32_t y, bool last) noexcept {
    move_to_row(rows_, x_, region_, n, y);
    const int32_t end = region_.end[2];
    for (int32_t column = region_.begin[2]; column < end;) {
      if (held_ == 0 && rows_.by_two && column >= rows_.inner.begin &&
          column + 1 < rows_.inner.end) {
        column = add_inner(n, y, column);
      } else {
        add(n, y, column, last && column + 1 == end);
        ++column;
      }
    }
  }

 private:
  // Inner columns from this one on, two by two. Returns the first that it leaves.
  int32_t add_inner(int32_t n, int32_t y, int32_t column) noexcept {
    auto* const bytes = reinterpret_cast<int8_t*>(words_ + 4 * block_.fours);
    out_[0] = pixel<int8_t>(view_, n, y, column);
    for (; column + 1 < rows_.inner.end; column += 2) {
      if (view_.modulus != 0) out_[0] = pixel<int8_t>(view_, n, y, column);
      out_[1] =
          view_.modulus != 0 ? pixel<int8_t>(view_, n, y, column + 1) : out_[0] + view_.stride[2];
      read_two_windows<Inputs>(rows_, column, words_, bytes);
      held_ = 2;
      finish();
      out_[0] = out_[1] + view_.stride[2];
    }
    return column;
  }

  // last: of all.
  void add(int32_t n, int32_t y, int32_t column, bool last) noexcept {
    read(column, words_ + 2 * held_, last && held_ == 0 ? 2 : 4);
    out_[held_] = pixel<int8_t>(view_, n, y, column);
    if (++held_ == 2 || last) finish();
  }

  void finish() noexcept {
    if (held_ == 2) block_.to_b = static_cast<int32_t>(out_[1] - out_[0]);
    if (whole_) {
      if (Weights::kRests && *rests_ < whole_end_) {
        finish_around_rests();
      } else {
        multiply_pairs(first_, whole_begin_, whole_end_);
      }
    }
    if (edges_) finish_edges();
    held_ = 0;
  }

  // Channels [o, end), from `pairs` on.
  void multiply_pairs(const int32_t* pairs, int32_t o, int32_t end) noexcept {
    block_.pairs = pairs;
    block_.out = out_[0] + o;
    block_.end = out_[0] + end;
    multiply(block_);
  }

  // Pairs with weights that lack something by themselves.
  [[gnu::noinline]] void finish_around_rests() noexcept {
    int32_t o = whole_begin_;
    for (const int32_t* rest = rests_; *rest < whole_end_; rest += 2) {
      const int32_t lacking = *rest - *rest % 2;
      if (lacking < o) continue;
      if (lacking > o) multiply_pairs(pair(o), o, lacking);
      add_sums(lacking);
      o = lacking + 2;
    }
    if (o < whole_end_) multiply_pairs(pair(o), o, whole_end_);
  }

  void multiply(const PairBlock& block) const noexcept {
    if (held_ == 2) {
      Weights::multiply_two_pixels(block);
    } else {
      Weights::multiply_pixel(block);
    }
  }

  [[nodiscard]] const int32_t* pair(int32_t o) const noexcept {
    return p_.pairs + o / 2 * pair_words<Weights>(block_.fours);
  }

  // step: words from four inputs to the next.
  void read(int32_t column, uint32_t* to, int32_t step) noexcept {
    if (in_place_) {
      read_window(rows_, x_, column, WidenedRuns<Inputs>{to, step});
    } else {
      auto* const bytes = reinterpret_cast<int8_t*>(words_ + 4 * block_.fours);
      read_any_window(rows_, x_, column, CopiedRuns{bytes});
      widen_rows<Inputs>(bytes, p_.window.kernel_h, rows_.run, to, step);
    }
  }

  [[gnu::noinline]] void finish_edges() noexcept {
    if (block_.tail == Tail::kSums) {
      for (int32_t o = begin_; o < end_; o = (o | 1) + 1) add_sums(o);
      return;
    }
    if (begin_ % 2 != 0) add_edge(begin_);
    if (end_ % 2 != 0) add_edge(end_ - 1);
  }

  // One channel of a pair.
  void add_edge(int32_t o) noexcept {
    if (Weights::kRests && lacks(o)) return add_sums(o);
    int8_t both[4];  // of both pixels
    PairBlock block = block_;
    block.pairs = pair(o);
    block.out = both;
    block.end = both + 2;
    block.to_b = 2;
    multiply(block);
    for (int32_t i = 0; i < held_; ++i) out_[i][o] = both[2 * i + o % 2];
  }

  // Channel o and what the region has of its pair: sums, and what the reference does with them.
  void add_sums(int32_t o) noexcept {
    int32_t sums[4];  // [channel][pixel]
    PairBlock block = block_;
    block.pairs = pair(o);
    block.out = reinterpret_cast<int8_t*>(sums);
    block.tail = Tail::kSums;
    multiply(block);
    if (Weights::kRests) add_rests(o, sums);
    const int32_t* const constants = block.pairs + 2 + Weights::kWords * block.fours;
    for (const int32_t end = (o | 1) < end_ ? (o | 1) + 1 : end_; o < end; ++o) {
      for (int32_t i = 0; i < held_; ++i)
        out_[i][o] = finish_sum(sums[o % 2 * held_ + i], constants + 3 * (o % 2));
    }
  }

  [[nodiscard]] int8_t finish_sum(int32_t sum, const int32_t* c) const noexcept {
    if (Weights::kRests && block_.tail != Tail::kSums)
      return finished(sum, c, block_.tail, block_.clamps, Weights::kDoublings != 0);
    const int32_t scaled =
        requantise(sum >> Weights::kDoublings, c[0], c[2]) + p_.output_zero_point;
    return static_cast<int8_t>(limit(scaled, p_.clamp_min, p_.clamp_max));
  }

  [[nodiscard]] bool lacks(int32_t o) const noexcept {
    for (const int32_t* rest = rests_; *rest < end_; rest += 2) {
      if (*rest / 2 == o / 2) return true;
    }
    return false;
  }

  // What weights of the pair of o lack: -1 times an odd input, which the first of its words has.
  void add_rests(int32_t o, int32_t* sums) const noexcept {
    for (const int32_t* rest = rests_; *rest <= (o | 1); rest += 2) {
      if (*rest / 2 != o / 2) continue;
      for (int32_t i = 0; i < held_; ++i) {
        const uint32_t both = words_[2 * (rest[1] / 4 * held_ + i)];
        const auto x = static_cast<int16_t>(rest[1] % 4 < 2 ? both : both >> 16);
        int32_t& sum = sums[*rest % 2 * held_ + i];  // may wrap on its way
        const auto lacking = static_cast<uint32_t>(x + MixedInputs::kLess) << Weights::kDoublings;
        sum = static_cast<int32_t>(static_cast<uint32_t>(sum) - lacking);
      }
    }
  }

  const Conv2DPairsParams& p_;
  const View& x_;
  const View& view_;  // of the output
  const Region& region_;
  int32_t begin_, end_;              // output channels
  int32_t whole_begin_, whole_end_;  // those in pairs
  bool whole_, edges_;               // whether there are such, and others
  const int32_t* first_;             // of the pairs
  const int32_t* rests_ = nullptr;   // from the first of the region's pairs on
  int32_t inputs_;
  bool in_place_;  // runs are multiples of four
  WindowRows rows_;
  uint32_t* words_;
  PairBlock block_{};
  int32_t held_ = 0;  // pixels
  int8_t* out_[2] = {};
};

/// conv_2d_pairs_dsp and conv_2d_pairs_compact_dsp.
template <class Weights>
inline void convolve_pairs(const Conv2DPairsParams& p, const View& x, const View& out,
                           const Region& region, int8_t* scratch) noexcept {
  if (region.begin[3] == region.end[3]) return;  // before anything is widened
  const bool rings = x.modulus != 0 || out.modulus != 0;
  const bool joined = !rings && rows_join(p.window, x, out, region);
  const Region walked = joined ? join_rows(region, p.window.in_w) : region;
  PixelPairs<Weights> pairs(p, joined ? join_rows(p.window) : p.window, x, out, walked, scratch);
  for (int32_t n = walked.begin[0]; n < walked.end[0]; ++n) {
    for (int32_t y = walked.begin[1]; y < walked.end[1]; ++y)
      pairs.add_row(n, y, n + 1 == walked.end[0] && y + 1 == walked.end[1]);
  }
}

}  // namespace thimble::runtime
