// SPDX-License-Identifier: Apache-2.0
// Convolutions of int16 pixel by pixel: the runs of memory that a pixel's inputs are, found once
// for all output channels, then group after group of these.
#pragma once

#include "../portable/walk.h"
#include "run_products.h"
#include "words_tail.h"

namespace thimble::runtime {

constexpr int32_t kMostRuns = 16;  ///< held at a time

/// A group of output channels at one pixel, whose sums are made of parts.
struct WordsGroup {
  SumRuns sum;
  const int32_t* weights;
  const int32_t* constants;
  int32_t channels;  ///< with those behind the last
  int32_t between;   ///< as SumRuns takes it
  uint64_t totals[4];

  void begin() noexcept {
    for (int32_t c = 0; c < channels; ++c) totals[c] = words_bias(constants + c * kWordsTail);
  }
  void add(const Conv2DWordsParams& p, const InputRun* runs) noexcept {
    int32_t sums[4];
    sum(runs, weights, sums, between);
    for (int32_t c = 0; c < channels; ++c)
      totals[c] = add_words_sum(p, constants + c * kWordsTail, totals[c], sums[c]);
  }
};

/// The runs of a pixel. Where they are too many, or their inputs too many for sums of 32 bits, they
/// are found again for each group, and summed some at a time.
class InputRuns {
 public:
  explicit InputRuns(const Conv2DWordsParams& p) noexcept : p_(p) {}

  /// Further inputs; `first` is the number of the first one's weight.
  void add(const int16_t* x, int32_t first, int32_t count) noexcept {
    while (count > 0 && !overflows_) {
      const bool joins = runs_ > 0 && x == end_ && first == end_first_;
      const int32_t room = kMostInputs - inputs_;
      if (THIMBLE_USES_SUMS_IN_PARTS && (room == 0 || (!joins && runs_ == kMostRuns))) {
        flush();
        continue;
      }
      const int32_t part = !THIMBLE_USES_SUMS_IN_PARTS || count < room ? count : room;
      if (!joins) run_[runs_++] = {x, first, 0, 0};
      run_[runs_ - 1].pairs += part;  // inputs, so far
      inputs_ += part;
      count -= part;
      first += part;
      x += part;
      end_ = x;
      end_first_ = first;
    }
  }
  /// After the last one: whether these are all that there are.
  bool complete() noexcept {
    finish();
    return !overflows_;
  }
  /// Which are none where all is padding.
  const InputRun* all() const noexcept { return runs_ > 0 ? run_ : nullptr; }
  /// To the same of a pixel whose inputs are `step` elements further on; if these are complete.
  void move(int32_t step) noexcept {
    for (int32_t k = 0; k < runs_; ++k) run_[k].x += step;
  }
  void clear() noexcept {
    group_ = nullptr;
    runs_ = inputs_ = 0;
    overflows_ = false;
  }
  /// What is added next is summed for the group: at the latest by add_last.
  void restart(WordsGroup& group) noexcept {
    group_ = &group;
    runs_ = inputs_ = 0;
    overflows_ = false;
  }
  void add_last() noexcept { flush(); }

 private:
  // From inputs to pairs and edges.
  void finish() noexcept {
    for (int32_t k = 0; k < runs_; ++k) {
      InputRun& run = run_[k];
      const int32_t leads = run.first_pair & 1, inputs = run.pairs - leads;
      run.first_pair >>= 1;
      run.pairs = inputs >> 1;
      run.edges = (leads != 0 ? kLeads : 0) | ((inputs & 1) != 0 ? kTrails : 0) |
                  (k + 1 < runs_ ? kMoreRuns : 0);
    }
  }
  void flush() noexcept {
    if (group_ == nullptr) {
      overflows_ = true;
      return;
    }
    finish();
    if (runs_ > 0) group_->add(p_, run_);
    runs_ = inputs_ = 0;
  }

  const Conv2DWordsParams& p_;
  WordsGroup* group_ = nullptr;
  int32_t runs_ = 0, inputs_ = 0;
  bool overflows_ = false;
  const int16_t* end_ = nullptr;  // of the last run
  int32_t end_first_ = 0;
  InputRun run_[kMostRuns];
};

/// How the weights of a group are held.
struct WideWords {
  static constexpr SumRuns kFour = sum_four_wide, kTwo = sum_two_wide;
  static constexpr int32_t words(int32_t pairs, int32_t group) noexcept { return pairs * group; }
};
struct CompactWords {
  static constexpr SumRuns kFour = sum_four_compact, kTwo = sum_two_compact;
  static constexpr int32_t words(int32_t pairs, int32_t group) noexcept {
    return pairs * group / 2;
  }
};

/// Output channels [begin, end) at one pixel, whose elements are `step` apart.
struct WordsPixel {
  int16_t* to;
  int32_t step, begin, end;
};

/// From the weights of one channel to those of the next, where they are in rows.
inline int32_t row_bytes(const Conv2DWordsParams& p) noexcept {
  return (p.window.kernel_h * p.window.kernel_w * p.in_channels + 1) / 2 * 2;
}

/// Words of a group of four, and of its weights.
template <class Words>
inline int32_t weight_words(const Conv2DWordsParams& p, int32_t group) noexcept {
  const int32_t inputs = p.window.kernel_h * p.window.kernel_w * p.in_channels;
  return Words::words((inputs + 1) / 2, group);
}

/// A pixel of these runs; none: of padding alone. Not inlined: its loops need all registers.
template <class Words>
[[gnu::noinline]] inline void sum_pixel(const Conv2DWordsParams& p, const InputRun* runs,
                                        const WordsPixel& pixel) noexcept {
  int32_t sums[4] = {0, 0, 0, 0};
  const int32_t words = weight_words<Words>(p, 4), step = pixel.step, end = pixel.end;
  const int32_t between = row_bytes(p);
  int32_t o = pixel.begin - pixel.begin % 4;
  const int32_t* weights = p.words + o / 4 * (words + 4 * kWordsTail);
  int16_t* to = pixel.to + o * step;
  for (; o < end; o += 4, weights += words + 4 * kWordsTail, to += 4 * step) {
    if (o < pixel.begin || o + 4 > end) {
      const int32_t group = THIMBLE_USES_WORDS_OF_TWO ? words_group(p.out_channels, o) : 4;
      if (runs != nullptr) (group == 4 ? Words::kFour : Words::kTwo)(runs, weights, sums, between);
      const int32_t first = o < pixel.begin ? pixel.begin - o : 0;
      const int32_t last = end - o < group ? end - o : group;
      const int32_t* const constants = weights + (group == 4 ? words : words / 2);
      finish_group(p, constants + first * kWordsTail, sums + first, last - first, to + first * step,
                   step);
      continue;
    }
    if (runs != nullptr) Words::kFour(runs, weights, sums, between);
    finish_group(p, weights + words, sums, 4, to, step);
  }
}

/// A pixel whose runs are summed some at a time: find(runs) adds them.
template <class Words, class Find>
inline void sum_pixel_in_parts(const Conv2DWordsParams& p, InputRuns& runs, const WordsPixel& pixel,
                               Find find) noexcept {
  const int32_t words = weight_words<Words>(p, 4) + 4 * kWordsTail;
  for (int32_t o = pixel.begin - pixel.begin % 4; o < pixel.end; o += 4) {
    WordsGroup group;
    group.channels = THIMBLE_USES_WORDS_OF_TWO ? words_group(p.out_channels, o) : 4;
    group.sum = group.channels == 4 ? Words::kFour : Words::kTwo;
    group.weights = p.words + o / 4 * words;
    group.constants = group.weights + weight_words<Words>(p, group.channels);
    group.between = row_bytes(p);
    group.begin();
    runs.restart(group);
    find(runs);
    runs.add_last();
    for (int32_t c = 0; c < group.channels; ++c) {
      if (o + c < pixel.begin || o + c >= pixel.end) continue;
      pixel.to[(o + c) * pixel.step] =
          words_element(p, group.constants + c * kWordsTail, group.totals[c]);
    }
  }
}

/// find(n, y, x, runs) adds the inputs of an output pixel.
template <class Words, class Find>
inline void convolve_words(const Conv2DWordsParams& p, const View& out, const Region& region,
                           const EvenColumns& even, Find find) noexcept {
  if (region.begin[3] == region.end[3]) return;
  InputRuns runs(p);
  bool complete = false;
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const WordsPixel to{pixel<int16_t>(out, n, y, column), out.stride[3], region.begin[3],
                        region.end[3]};
    if (complete && column > region.begin[2] && even.goes_on(column)) {
      runs.move(even.step);
    } else {
      runs.clear();
      find(n, y, column, runs);
      complete = runs.complete();
    }
    if (!THIMBLE_USES_SUMS_IN_PARTS || complete) {
      sum_pixel<Words>(p, runs.all(), to);
    } else {
      sum_pixel_in_parts<Words>(p, runs, to, [&](InputRuns& found) { find(n, y, column, found); });
    }
  });
}

}  // namespace thimble::runtime
