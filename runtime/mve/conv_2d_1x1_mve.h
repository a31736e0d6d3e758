// SPDX-License-Identifier: Apache-2.0
// Every two output pixels from where their inputs lie; pixels that follow one another are one call
// of the block.
#pragma once

#include "../portable/convolve.h"
#include "../portable/walk.h"
#include "fours_of_pixels.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {

// Pixels `x_step` and `out_step` bytes apart.
template <class Weights>
static void compute_row(FoursOfPixels<Weights>& fours, PixelPairRun run, int32_t count) noexcept {
  const int32_t x_step = run.x_step;
  const int32_t out_step = run.out_step;
  run.x_step *= 2;
  run.out_step *= 2;
  while (count > 1) {
    run.x_b = run.x_a + x_step;
    run.out_b = run.out_a + out_step;
    run.pairs = count / 2;
    while (run.pairs > 1 && !fours.apart(run)) run.pairs /= 2;
    if (fours.apart(run)) {
      fours.compute(run);
    } else {
      fours.compute(run.x_a, run.out_a);
      fours.compute(run.x_b, run.out_b);
    }
    run.x_a += run.pairs * run.x_step;
    run.out_a += run.pairs * run.out_step;
    count -= 2 * run.pairs;
  }
  if (count == 1) fours.compute(run.x_a, run.out_a);
}

// Pixels of rings, one of which may wait for the next row.
template <class Weights>
class PixelsOfRings {
 public:
  explicit PixelsOfRings(FoursOfPixels<Weights>& fours) noexcept : fours_(fours) {}

  void add(const int8_t* x, int8_t* out) noexcept {
    if (out_ == nullptr) {
      x_ = x;
      out_ = out;
      return;
    }
    const PixelPairRun pair{x_, x, out_, out, 0, 0, 1};
    if (fours_.apart(pair)) {
      fours_.compute(pair);
    } else {
      fours_.compute(x_, out_);
      fours_.compute(x, out);
    }
    out_ = nullptr;
  }

  void finish() noexcept {
    if (out_ != nullptr) fours_.compute(x_, out_);
  }

 private:
  FoursOfPixels<Weights>& fours_;
  const int8_t* x_ = nullptr;
  int8_t* out_ = nullptr;
};

/// Weights: as of FoursOfPixels.
template <class Weights>
static void convolve_single_taps(const Conv2DFoursParams& p, const View& x, const View& out,
                                 const Region& region) noexcept {
  if (region.begin[3] == region.end[3]) return;
  const Window2D& w = p.window;
  FoursOfPixels<Weights> fours(p, region);
  if (x.modulus != 0 || out.modulus != 0) {
    PixelsOfRings<Weights> pixels(fours);
    for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
      pixels.add(pixel<const int8_t>(x, n, y * w.stride_h, column * w.stride_w),
                 pixel<int8_t>(out, n, y, column));
    });
    pixels.finish();
    return;
  }
  const Region walked = rows_join(w, x, out, region) ? join_rows(region, w.in_w) : region;
  const int32_t begin = walked.begin[2];
  for (int32_t n = walked.begin[0]; n < walked.end[0]; ++n) {
    for (int32_t y = walked.begin[1]; y < walked.end[1]; ++y) {
      const PixelPairRun first{pixel<const int8_t>(x, n, y * w.stride_h, begin * w.stride_w),
                               nullptr,
                               pixel<int8_t>(out, n, y, begin),
                               nullptr,
                               w.stride_w * x.stride[2],
                               out.stride[2],
                               0};
      compute_row(fours, first, walked.end[2] - begin);
    }
  }
}

}  // namespace thimble::runtime
