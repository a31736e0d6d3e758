// SPDX-License-Identifier: Apache-2.0
// Every two output pixels: their windows in 16 bits, then all channels of both.
#pragma once

#include "../portable/store_channels.h"
#include "copied_rows.h"
#include "pair_products.h"
#include "straight_view.h"
#include "thimble_runtime/kernels.h"
#include "thimble_runtime/uses.h"

namespace thimble::runtime {

/// Weights: how they are held (wide_weights.h, compact_weights.h, nibble_weights.h).
template <class Weights>
class PixelPairs {
  using Inputs = typename Weights::Inputs;
  static constexpr bool kWindows = THIMBLE_USES_PAIR_WINDOWS;
  static constexpr bool kEdges = THIMBLE_USES_PAIR_EDGES;

 public:
  [[gnu::cold]] PixelPairs(const Conv2DPairsParams& p, const View& x, const View& out,
                           const Region& region, int8_t* scratch) noexcept
      : p_(p),
        x_(x),
        view_(out),
        region_(region),
        begin_(region.begin[3]),
        end_(region.end[3]),
        rows_(window_rows(p.window, p.in_channels, p.input_zero_point, x)) {
    if (rows_.joined && x.modulus == 0 && out.modulus == 0 && rows_join(p.window, x, out, region)) {
      region_ = join_rows(region, p.window.in_w);
      pixels_ = true;
    }
    const int32_t inputs = p.window.kernel_h * rows_.run;
    filled_ =
        conv_2d_pairs_row_inputs(p.window.kernel_h, p.window.kernel_w, p.in_channels) != rows_.run;
    in_place_ = !kWindows || inputs == p.in_channels || p.in_channels % 4 == 0;
    words_ = reinterpret_cast<uint32_t*>(scratch);
    block_.x = words_;
    block_.fours = (inputs + 3) / 4;
    block_.tail = static_cast<Tail>(p.tail);
    block_.clamps = static_cast<uint32_t>(127 - p.clamp_max) |
                    static_cast<uint32_t>(p.clamp_min + 128) << 8 |
                    (static_cast<uint32_t>(p.output_zero_point) & 255) << 16;
    const bool sums = kEdges && block_.tail == Tail::kSums;
    whole_begin_ = sums ? end_ : begin_ + (begin_ & 1);
    whole_end_ = end_ & ~1;
    whole_ = whole_begin_ < whole_end_;
    edges_ = kEdges && (sums || ((begin_ | end_) & 1) != 0);
    words_of_pair_ = pair_words<Weights>(block_.fours);
    if (Weights::kShares && p.pairs[0] != 0) {
      words_of_pair_ -= kPairTailWords;
      shared_ = pair(p.out_channels + p.out_channels % 2);
      if (block_.tail != Tail::kSums) block_.shared = shared_;
    }
    first_ = pair(whole_begin_);
    if (Weights::kRests) {
      rests_ = pair(p.out_channels + p.out_channels % 2);
      if (Weights::kShares && shared_ != nullptr) rests_ += kPairTailWords;
      while (*rests_ < begin_ - begin_ % 2) rests_ += 2;
    }
    const int32_t columns = region_.end[2] - region_.begin[2];
    const int32_t row = conv_2d_pairs_row_bytes(p);
    // A window of a single column would be copied twice.
    if (kWindows && columns > 2 &&
        ((columns - 1) * p.window.stride_w + p.window.kernel_w) * p.in_channels <= row) {
      row_bytes_ = row;
      rows_.step = p.window.stride_w * p.in_channels;
      rows_.inner = {region_.begin[2], region_.end[2]};
    }
    set_runs();
  }

  [[gnu::cold]] void run() noexcept {
    const int32_t images = region_.end[0], rows = region_.end[1];
    for (int32_t n = region_.begin[0]; n < images; ++n) {
      for (int32_t y = region_.begin[1]; y < rows; ++y)
        add_row(n, y, n + 1 == images && y + 1 == rows);
    }
  }

 private:
  // What all pairs of inner columns have in common.
  [[gnu::cold]] void set_runs() noexcept {
    block_.runs.step = rows_.step;
    block_.runs.fours = rows_.run / 4;
    block_.two = 2 * view_.stride[2];
    block_.to_next = block_.two - (whole_end_ - whole_begin_);
    paired_ = true;
    if (!kWindows) return;
    if (filled_) {  // what is behind a run in a copy meets zeros
      block_.runs.fours = (rows_.run + 3) / 4;
      paired_ = row_bytes_ != 0;
      return;
    }
    const int32_t left = rows_.run % 4, rest = (p_.window.kernel_h * left + 3) / 4;
    block_.windows.left = left;
    block_.windows.bytes = rest == 1 ? rest_ : bytes();
    block_.windows.apart = 4 * rest;
    // Where one window's bytes are put together there is room for what is left of two.
    paired_ = rest <= 1 || 2 * rest <= block_.fours;
  }

  // last: of all.
  [[gnu::cold]] void add_row(int32_t n, int32_t y, bool last) noexcept {
    if (pixels_) {
      move_to_row_of_pixels(rows_, x_, region_, n, y);
    } else if (row_bytes_ == 0) {
      move_to_row(rows_, x_, region_, n, y);
    } else {
      copy_rows(n, y);
    }
    const bool whole = rows_.rows.begin == 0 && rows_.rows.end == p_.window.kernel_h;
    const bool paired = !kWindows || (paired_ && rows_.rows.begin < rows_.rows.end &&
                                      (whole || block_.windows.left == 0));
    const int32_t end = region_.end[2];
    for (int32_t column = region_.begin[2]; column < end;) {
      if (held_ == 0 && paired && column >= rows_.inner.begin && column + 1 < rows_.inner.end) {
        column = add_inner(n, y, column);
      } else {
        add(n, y, column,
            (last && column + 1 == end) ||
                (kWindows && held_ == 0 && is_first_of_pairs(y, column)));
        ++column;
      }
    }
  }

  // Whether this pixel by itself leaves all others but those of columns that meet padding in pairs
  // of inner ones: the last pixel of a row goes with the first of the next.
  [[nodiscard]] bool is_first_of_pairs(int32_t y, int32_t column) const noexcept {
    const Outputs& inner = rows_.inner;
    return column + 1 == inner.begin && inner.end + 1 == region_.end[2] &&
           (inner.end - inner.begin) % 2 == 0 && y + 2 < region_.end[1];
  }

  // The rows that windows of row y read, each where it was if one before read it.
  [[gnu::cold]] void copy_rows(int32_t n, int32_t y) noexcept {
    const int32_t height = p_.window.kernel_h;
    const int32_t begin = y * p_.window.stride_h - p_.window.pad_top;
    const bool first = y == region_.begin[1];
    rows_.rows = {begin, 0, height};
    rows_.n = n;
    int8_t* const copies = bytes() + 4 * block_.fours;
    const int32_t origin = region_.begin[1] * p_.window.stride_h;
    for (int32_t ky = 0; ky < height; ++ky) {
      const int32_t row = begin + ky;
      int8_t* const copy = copies + (row + p_.window.pad_top - origin) % height * row_bytes_;
      rows_.row[ky] = copy;
      if (first || ky + p_.window.stride_h >= height)
        copy_padded_row(rows_, x_, row, region_, copy);
    }
  }

  // Inner columns from this one on, two by two. Returns the first that it leaves.
  [[gnu::cold]] int32_t add_inner(int32_t n, int32_t y, int32_t column) noexcept {
    find_runs(column);
    int32_t pairs = (rows_.inner.end - column) / 2;
    const bool together = whole_ && !edges_ && (!Weights::kRests || *rests_ >= whole_end_) &&
                          is_run(view_, n, y, column, column + 2 * pairs - 1);
    const int32_t at_once = together ? pairs : 1;
    for (; pairs > 0; pairs -= at_once, column += 2 * at_once) {
      out_[0] = pixel<int8_t>(view_, n, y, column);
      out_[1] = pixel<int8_t>(view_, n, y, column + 1);
      held_ = 2;
      block_.ahead = at_once;
      finish();
      block_.runs.offset += 2 * rows_.step;
    }
    return column;
  }

  // The runs of an inner column and the next; rows of padding are widened already.
  [[gnu::cold]] void find_runs(int32_t column) noexcept {
    const Taps& inside = rows_.rows;
    block_.windows.to = words_;
    if (kWindows) {
      const int32_t above = inside.begin * rows_.run;
      const int32_t below = (p_.window.kernel_h - inside.end) * rows_.run;
      const int32_t two_fours = 4 * block_.runs.fours;  // words of a run
      WidenedRuns<Inputs>{words_, 2}.fill(rows_.padding, 2 * above);
      WidenedRuns<Inputs>{words_ + inside.end * two_fours, 2}.fill(rows_.padding, 2 * below);
      block_.windows.to = words_ + above;
    }
    block_.runs.begin = rows_.row + inside.begin;
    block_.runs.end = rows_.row + inside.end;
    block_.runs.offset = (column - rows_.inner.begin) * rows_.step;
    block_.windows.how = Widening::kAligned;
    if (!THIMBLE_USES_UNALIGNED_PAIRS) return;
    auto misaligned = static_cast<uintptr_t>(rows_.step | block_.runs.offset | rows_.run);
    for (int32_t ky = inside.begin; ky < inside.end; ++ky)
      misaligned |= reinterpret_cast<uintptr_t>(rows_.row[ky]);
    const WidenedPair& windows = block_.windows;
    block_.windows.how = misaligned % 4 == 0                                ? Widening::kAligned
                         : rows_.run == 9 && inside.end - inside.begin == 3 ? Widening::kNines
                                                                            : Widening::kAny;
    for (int32_t k = p_.window.kernel_h * windows.left; k % 4 != 0; ++k)
      windows.bytes[k] = windows.bytes[windows.apart + k] = 0;
  }

  // last: no other comes to it.
  [[gnu::cold, gnu::noinline]] void add(int32_t n, int32_t y, int32_t column, bool last) noexcept {
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
    if (kEdges && edges_) finish_edges();
    held_ = 0;
  }

  // Channels [o, end), from `pairs` on.
  void multiply_pairs(const int32_t* pairs, int32_t o, int32_t end) noexcept {
    block_.pairs = pairs;
    block_.out = out_[0] + o;
    block_.end = out_[0] + end;
    multiply();
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

  void multiply() noexcept {
    if (held_ == 2) {
      Weights::multiply_two_pixels(block_);
    } else {
      Weights::multiply_pixel(block_);
    }
    block_.ahead = 0;  // windows are widened once
  }

  [[nodiscard]] const int32_t* pair(int32_t o) const noexcept {
    return p_.pairs + Weights::kHeadWords + o / 2 * words_of_pair_;
  }

  // step: words from four inputs to the next. Not inlined: multiplying does not share its stack.
  [[gnu::noinline]] void read(int32_t column, uint32_t* to, int32_t step) noexcept {
    if (!kWindows || in_place_) {
      read_window(rows_, x_, column, WidenedRuns<Inputs>{to, step});
    } else {
      read_window(rows_, x_, column, CopiedRuns{bytes()});
      widen_rows<Inputs>(bytes(), p_.window.kernel_h, rows_.run, filled_, to, step);
    }
  }
  [[nodiscard]] int8_t* bytes() const noexcept {
    return reinterpret_cast<int8_t*>(words_ + 4 * block_.fours);
  }

  [[gnu::cold, gnu::noinline]] void finish_edges() noexcept {
    if (block_.tail == Tail::kSums) {
      for (int32_t o = begin_; o < end_; o = (o | 1) + 1) add_sums(o);
      return;
    }
    if (begin_ % 2 != 0) add_edge(begin_);
    if (end_ % 2 != 0) add_edge(end_ - 1);
  }

  // One channel of a pair.
  [[gnu::cold]] void add_edge(int32_t o) noexcept {
    if (Weights::kRests && lacks(o)) return add_sums(o);
    int8_t both[4];  // of both pixels
    const int32_t to_b = block_.to_b;
    block_.pairs = pair(o);
    block_.out = both;
    block_.end = both + 2;
    block_.to_b = 2;
    multiply();
    block_.to_b = to_b;
    for (int32_t i = 0; i < held_; ++i) out_[i][o] = both[2 * i + o % 2];
  }

  // Channel o and what the region has of its pair: sums, and what the reference does with them.
  [[gnu::cold]] void add_sums(int32_t o) noexcept {
    int32_t sums[4];  // [channel][pixel]
    const Tail tail = block_.tail;
    block_.pairs = pair(o);
    block_.out = reinterpret_cast<int8_t*>(sums);
    block_.tail = Tail::kSums;
    block_.shared = nullptr;  // sums want none
    multiply();
    block_.tail = tail;
    if (tail != Tail::kSums) block_.shared = shared_;
    if (Weights::kRests) add_rests(o, sums);
    const int32_t* constants = block_.pairs + 2 + Weights::words(block_.fours);
    if (Weights::kShares && shared_ != nullptr) constants = shared_;
    for (const int32_t end = (o | 1) < end_ ? (o | 1) + 1 : end_; o < end; ++o) {
      for (int32_t i = 0; i < held_; ++i)
        out_[i][o] = finish_sum(sums[o % 2 * held_ + i], constants + 3 * (o % 2));
    }
  }

  [[nodiscard]] int8_t finish_sum(int32_t sum, const int32_t* c) const noexcept {
    if (Weights::kRests && block_.tail != Tail::kSums)
      return finished(sum, c, block_.tail, block_.clamps, Weights::kDoublings);
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
  Region region_;
  int32_t begin_, end_;              // output channels
  int32_t whole_begin_, whole_end_;  // those in pairs
  bool whole_, edges_;               // whether there are such, and others
  const int32_t* first_;             // of the pairs
  int32_t words_of_pair_ = 0;
  const int32_t* shared_ = nullptr;  // constants of all channels
  const int32_t* rests_ = nullptr;   // from the first of the region's pairs on
  bool in_place_;                    // runs are multiples of four
  bool filled_;                      // runs are, to fours
  bool pixels_ = !kWindows;          // single taps, none of them padding
  bool paired_;                      // inner columns are widened two at a time
  WindowRows rows_;
  int32_t row_bytes_ = 0;  // of rows that are copied
  uint32_t* words_;
  PairBlock block_{};
  int32_t held_ = 0;  // pixels
  int8_t* out_[2] = {};
  int8_t rest_[8] = {};  // what is left of the runs of two pixels, if it is a four of each
};

template <class Weights>
[[gnu::cold, gnu::noinline]] inline void convolve_all_pairs(const Conv2DPairsParams& p,
                                                            const View& x, const View& out,
                                                            const Region& region,
                                                            int8_t* scratch) noexcept {
  PixelPairs<Weights>(p, x, out, region, scratch).run();
}

/// conv_2d_pairs_dsp and conv_2d_pairs_compact_dsp.
template <class Weights>
[[gnu::cold]] inline void convolve_pairs(const Conv2DPairsParams& p, const View& x, const View& out,
                                         const Region& region, int8_t* scratch) noexcept {
  if (region.begin[3] == region.end[3]) return;  // before anything is widened
  with_straight_views<convolve_all_pairs<Weights>>(p, x, out, region, scratch);
}

}  // namespace thimble::runtime
