// SPDX-License-Identifier: Apache-2.0
// Every two output pixels: their windows in 16 bits, then all channels of both.
#include "../portable/store_channels.h"
#include "pair_products.h"
#include "thimble_runtime/kernels.h"
#include "window_reader.h"

namespace thimble::runtime {
namespace {

class PixelPairs {
 public:
  PixelPairs(const Conv2DPairsParams& p, const View& x, const Region& region,
             int8_t* scratch) noexcept
      : p_(p),
        x_(x),
        region_(region),
        begin_(region.begin[3]),
        end_(region.end[3]),
        rows_(window_rows(p.window, p.in_channels, p.input_zero_point, x)) {
    inputs_ = p.window.kernel_h * p.window.kernel_w * p.in_channels;
    one_tap_ = p.window.kernel_h * p.window.kernel_w == 1 && p.window.pad_top == 0 &&
               p.window.pad_left == 0;
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
  }

  void begin_row(int32_t n, int32_t y) noexcept {
    if (one_tap_) {
      n_ = n;
      y_ = y * p_.window.stride_h;
    } else {
      move_to_row(rows_, x_, region_, n, y);
    }
  }

  /// to: channel 0 of the output pixel. last: of all.
  void add(int32_t column, int8_t* to, bool last) noexcept {
    read(column, words_ + 2 * held_, last && held_ == 0 ? 2 : 4);
    out_[held_] = to;
    if (++held_ == 2 || last) finish();
  }

 private:
  void finish() noexcept {
    if (held_ == 2) block_.to_b = static_cast<int32_t>(out_[1] - out_[0]);
    if (whole_) {
      block_.pairs = first_;
      block_.out = out_[0] + whole_begin_;
      block_.end = out_[0] + whole_end_;
      multiply(block_);
    }
    if (edges_) finish_edges();
    held_ = 0;
  }

  void multiply(const PairBlock& block) const noexcept {
    if (held_ == 2) {
      multiply_two_pixels(block);
    } else {
      multiply_pixel(block);
    }
  }

  [[nodiscard]] const int32_t* pair(int32_t o) const noexcept {
    return p_.pairs + o / 2 * pair_words(block_.fours);
  }

  // step: words from four inputs to the next.
  void read(int32_t column, uint32_t* to, int32_t step) noexcept {
    if (one_tap_) {
      const auto* from = pixel<const int8_t>(x_, n_, y_, column * p_.window.stride_w);
      if (x_.stride[3] == 1) {
        widen(from, inputs_, to, step);
      } else {
        widen_apart(from, x_.stride[3], inputs_, to, step);
      }
    } else if (in_place_) {
      read_window(rows_, x_, column, WidenedRuns{to, step});
    } else {
      auto* const bytes = reinterpret_cast<int8_t*>(words_ + 4 * block_.fours);
      read_window(rows_, x_, column, CopiedRuns{bytes});
      widen(bytes, inputs_, to, step);
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
    multiply(block);
    const int32_t* const constants = block.pairs + 2 + 4 * block.fours;
    for (const int32_t end = (o | 1) < end_ ? (o | 1) + 1 : end_; o < end; ++o) {
      const int32_t* const c = constants + 3 * (o % 2);
      for (int32_t i = 0; i < held_; ++i) {
        const int32_t scaled =
            requantise(sums[o % 2 * held_ + i], c[0], c[2]) + p_.output_zero_point;
        out_[i][o] = static_cast<int8_t>(limit(scaled, p_.clamp_min, p_.clamp_max));
      }
    }
  }

  const Conv2DPairsParams& p_;
  const View& x_;
  const Region& region_;
  int32_t begin_, end_;              // output channels
  int32_t whole_begin_, whole_end_;  // those in pairs
  bool whole_, edges_;               // whether there are such, and others
  const int32_t* first_;             // of the pairs
  int32_t inputs_;
  bool one_tap_;   // which is never padding
  bool in_place_;  // runs are multiples of four
  WindowRows rows_;
  uint32_t* words_;
  PairBlock block_{};
  int32_t n_ = 0, y_ = 0;  // of the only tap
  int32_t held_ = 0;       // pixels
  int8_t* out_[2] = {};
};

}  // namespace

void conv_2d_pairs_dsp(const Conv2DPairsParams& p, const View& x, const View& out,
                       const Region& region, int8_t* scratch) noexcept {
  if (region.begin[3] == region.end[3]) return;  // before anything is widened
  PixelPairs pairs(p, x, region, scratch);
  for (int32_t n = region.begin[0]; n < region.end[0]; ++n) {
    for (int32_t y = region.begin[1]; y < region.end[1]; ++y) {
      pairs.begin_row(n, y);
      const bool last_row = n + 1 == region.end[0] && y + 1 == region.end[1];
      for (int32_t column = region.begin[2]; column < region.end[2]; ++column) {
        const bool last = last_row && column + 1 == region.end[2];
        pairs.add(column, pixel<int8_t>(out, n, y, column), last);
      }
    }
  }
}

}  // namespace thimble::runtime
