// SPDX-License-Identifier: Apache-2.0
// Pairs of pixels whose windows are runs of bytes -> all of a region's channels, also where it cuts
// fours of them.
#pragma once

#include "fours_products.h"

namespace thimble::runtime {

/// Pairs of pixels, each `x_step` and `out_step` behind the one before. None: pixel a alone.
struct PixelPairRun {
  const int8_t* x_a;
  const int8_t* x_b;
  int8_t* out_a;  ///< channel 0
  int8_t* out_b;
  int32_t x_step, out_step;
  int32_t pairs;
};

/// Weights: FoursOfBytes, FoursOfNibbles.
template <class Weights>
class FoursOfPixels {
 public:
  FoursOfPixels(const Conv2DFoursParams& p, const Region& region) noexcept
      : p_(p), begin_(region.begin[3]), end_(region.end[3]) {
    inputs_ = p.window.kernel_h * p.window.kernel_w * p.in_channels;
    whole_begin_ = (begin_ + 3) / 4 * 4;
    whole_end_ = end_ / 4 * 4;
    edges_ = begin_ % 4 != 0 || end_ % 4 != 0;
    set_inputs(block_, inputs_);
    block_.rounding = static_cast<FoursRounding>(p.rounding);
    block_.zero_point = p.output_zero_point;
    block_.clamp_min = p.clamp_min;
    block_.clamp_max = p.clamp_max;
    block_.fours = four(whole_begin_);
    block_.channels = whole_end_ - whole_begin_;
  }

  [[nodiscard]] int32_t inputs() const noexcept { return inputs_; }

  /// No write of a pixel may change inputs of its own or of later ones, nor one of a pixel b those
  /// of its pixel a.
  void compute(const PixelPairRun& run) noexcept {
    if (!edges_) {
      whole_fours(run);
    } else {
      with_edges(run);
    }
  }

  void compute(const int8_t* x, int8_t* out) noexcept {
    compute({x, nullptr, out, nullptr, 0, 0, 0});
  }

  /// Whether no output of a pixel b lies over inputs of its pixel a, which other channels still
  /// read: it is behind (or before) them in the first pair and in the last one, hence in all.
  [[nodiscard]] bool apart(const PixelPairRun& run) const noexcept {
    const auto first = reinterpret_cast<intptr_t>(run.out_b) - reinterpret_cast<intptr_t>(run.x_a);
    const intptr_t last = first + intptr_t{run.pairs - 1} * (run.out_step - run.x_step);
    return (first + begin_ >= inputs_ && last + begin_ >= inputs_) ||
           (first + end_ <= 0 && last + end_ <= 0);
  }

 private:
  void whole_fours(const PixelPairRun& run) noexcept {
    block_.x_a = run.x_a;
    block_.x_b = run.x_b;
    block_.x_step = run.x_step;
    block_.out_step = run.out_step;
    block_.pairs = run.pairs;
    block_.to_b = static_cast<int32_t>(run.out_b - run.out_a) - 4;
    block_.end = run.out_a + whole_end_;
    multiply_fours<Weights>(block_);
  }

  [[nodiscard]] const int32_t* four(int32_t o) const noexcept {
    return p_.fours + o / 4 * Weights::words(inputs_);
  }

  // Pair by pair, since the next one's outputs may lie over inputs of this one.
  [[gnu::noinline]] void with_edges(PixelPairRun run) noexcept {
    const int32_t pairs = run.pairs;
    if (pairs > 1) run.pairs = 1;
    for (int32_t k = 0; k == 0 || k < pairs; ++k) {
      if (whole_begin_ < whole_end_) whole_fours(run);
      if (begin_ % 4 != 0) edge(run, begin_ / 4 * 4);
      if (end_ % 4 != 0 && (end_ > whole_begin_ || begin_ % 4 == 0)) edge(run, whole_end_);
      run.x_a += run.x_step;
      run.x_b += run.x_step;
      run.out_a += run.out_step;
      run.out_b += run.out_step;
    }
  }

  // What the region has of the four channels from `o` on.
  void edge(const PixelPairRun& run, int32_t o) noexcept {
    int8_t both[8];  // of both pixels
    FoursBlock block = block_;
    block.x_a = run.x_a;
    block.x_b = run.x_b;
    block.pairs = run.pairs;
    block.to_b = 0;
    block.fours = four(o);
    block.channels = 4;
    block.end = both + 4;
    multiply_fours<Weights>(block);
    const int32_t first = o < begin_ ? begin_ : o;
    const int32_t last = o + 4 < end_ ? o + 4 : end_;
    for (int32_t c = first; c < last; ++c) {
      run.out_a[c] = both[c - o];
      if (run.pairs > 0) run.out_b[c] = both[4 + c - o];
    }
  }

  const Conv2DFoursParams& p_;
  int32_t begin_, end_;                      // output channels
  int32_t whole_begin_ = 0, whole_end_ = 0;  // those in fours
  bool edges_ = false;                       // whether there are others
  int32_t inputs_ = 0;
  FoursBlock block_{};
};

}  // namespace thimble::runtime
