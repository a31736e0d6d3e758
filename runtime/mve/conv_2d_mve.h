// SPDX-License-Identifier: Apache-2.0
// The windows of every two output pixels side by side in scratch, then all channels of both.
#pragma once

#include "../dsp/window_reader.h"
#include "bytes.h"
#include "fours_of_pixels.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {

/// Weights: as of FoursOfPixels.
template <class Weights>
class PairsOfWindows {
 public:
  PairsOfWindows(const Conv2DFoursParams& p, const View& x, const View& out, const Region& region,
                 int8_t* scratch) noexcept
      : p_(p),
        x_(x),
        out_(out),
        region_(region),
        scratch_(scratch),
        fours_(p, region),
        rows_(window_rows(p.window, p.in_channels, p.input_zero_point, x)) {}

  void run() noexcept {
    for (int32_t n = region_.begin[0]; n < region_.end[0]; ++n) {
      for (int32_t y = region_.begin[1]; y < region_.end[1]; ++y) row(n, y);
    }
    if (held_ != nullptr) fours_.compute(scratch_, held_);
  }

 private:
  // One pixel may wait for the next row.
  void row(int32_t n, int32_t y) noexcept {
    move_to_row(rows_, x_, region_, n, y);
    for (int32_t column = region_.begin[2]; column < region_.end[2]; ++column) {
      if (out_.modulus == 0 && held_ == nullptr && column >= rows_.inner.begin) {
        column = inner_pairs(n, y, column);
        if (column == region_.end[2]) return;
      }
      int8_t* const to = held_ == nullptr ? scratch_ : scratch_ + fours_.inputs();
      read_window(rows_, x_, column, ByteRuns{to});
      auto* const out = pixel<int8_t>(out_, n, y, column);
      if (held_ == nullptr) {
        held_ = out;
        continue;
      }
      fours_.compute({scratch_, to, held_, out, 0, 0, 1});
      held_ = nullptr;
    }
  }

  // Pairs of inner columns, from `column` on. Returns where they end.
  int32_t inner_pairs(int32_t n, int32_t y, int32_t column) noexcept {
    int32_t offset = (column - rows_.inner.begin) * rows_.step;
    int8_t* out = pixel<int8_t>(out_, n, y, column);
    int8_t* const second = scratch_ + fours_.inputs();
    for (; column + 1 < rows_.inner.end; column += 2) {
      copy_window(offset, scratch_);
      copy_window(offset + rows_.step, second);
      fours_.compute({scratch_, second, out, out + out_.stride[2], 0, 0, 1});
      offset += 2 * rows_.step;
      out += 2 * out_.stride[2];
    }
    return column;
  }

  // The window of an inner column, so far behind that of the first.
  [[gnu::noinline]] void copy_window(int32_t offset, int8_t* to) const noexcept {
    for (int32_t ky = 0; ky < p_.window.kernel_h; ++ky, to += rows_.run) {
      if (rows_.row[ky] != nullptr) {
        copy_bytes(rows_.row[ky] + offset, to, rows_.run);
      } else {
        fill_bytes(to, rows_.padding, rows_.run);
      }
    }
  }

  const Conv2DFoursParams& p_;
  const View& x_;
  const View& out_;
  const Region& region_;
  int8_t* scratch_;  // the windows of pixels a and b
  FoursOfPixels<Weights> fours_;
  WindowRows rows_;
  int8_t* held_ = nullptr;  // output of a pixel a that waits for b
};

template <class Weights>
static void convolve_windows(const Conv2DFoursParams& p, const View& x, const View& out,
                             const Region& region, int8_t* scratch) noexcept {
  if (region.begin[3] == region.end[3]) return;  // before anything is read
  PairsOfWindows<Weights>(p, x, out, region, scratch).run();
}

}  // namespace thimble::runtime
