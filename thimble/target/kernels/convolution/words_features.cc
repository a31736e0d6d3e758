// SPDX-License-Identifier: Apache-2.0
// Convolutions of int16 in words: groups of four channels as quads, of two as singles, with their
// runs of inputs and a product for every two of these; ones are pixels whose runs are looked for.
// Depthwise: groups as fours, with rows of taps and taps, and channels alone as singles.
// In MVE a product is one of every eight inputs of a run. transpose_conv_in_fours.h: groups of
// four, or channels where there are fewer, as quads, with their runs and products of every input.
#include <algorithm>
#include <cmath>

#include "runtime/dsp/input_runs.h"
#include "runtime/portable/transpose_conv.h"
#include "thimble/target/kernels/feature_sums.h"

namespace thimble {
namespace {

/// Taps and runs of the windows of all pixels, padding left out.
struct WindowTaps {
  double taps = 0, runs = 0;
  double found = 1;  ///< share of the pixels that are looked for; the others move on
};

// Those of one axis.
double transposed_taps(int32_t begin, int32_t end, int32_t pad, int32_t kernel, int32_t stride,
                       int32_t extent) {
  double sum = 0;
  for (int32_t out = begin; out < end; ++out) {
    const runtime::BackwardTaps taps = runtime::backward_taps(out, pad, kernel, stride, extent);
    sum += std::max(0, (taps.end - taps.first + stride - 1) / stride);
  }
  return sum;
}

WindowTaps window_taps(const runtime::Window2D& w, const CallShape& call, int32_t run_channels) {
  const runtime::Region& region = call.region;
  const double images = extent(region, 0);
  if (info(call.kernel).family == Family::kTransposeConv) {
    const double taps =
        images *
        transposed_taps(region.begin[1], region.end[1], w.pad_top, w.kernel_h, w.stride_h, w.in_h) *
        transposed_taps(region.begin[2], region.end[2], w.pad_left, w.kernel_w, w.stride_w, w.in_w);
    return {taps, taps};
  }
  const TapSums y = row_taps(w, region), x = column_taps(w, region);
  const runtime::View& from = call.in[0];
  const bool straight = from.modulus == 0;
  const bool joined =
      straight && (run_channels == 0 || from.stride[2] * w.dilation_w == run_channels);
  const bool rows_join =
      joined && run_channels > 0 && from.stride[1] * w.dilation_h == w.kernel_w * run_channels;
  const double taps = images * y.inside * x.inside;
  const double found = straight && x.outputs > 0 ? 1 - std::max(0.0, x.full - 1) / x.outputs : 1;
  if (!joined) return {taps, taps, found};
  return {taps, images * (rows_join ? y.some_inside : y.inside) * x.some_inside, found};
}

void count_depthwise(const runtime::Conv2DWordsParams& p, const CallShape& call, FeatureSums sums) {
  const WindowTaps of = window_taps(p.window, call, 0);
  const int32_t begin = call.region.begin[3], end = call.region.end[3];
  const int32_t first = (begin + 3) / 4, last = end / 4;
  const double fours = last > first ? last - first : 0;
  const double alone = end - begin - 4 * fours;
  const double count = pixels(call.region);
  sums.add(Feature::kOne, count * of.found);
  sums.add(Feature::kOneRun, of.runs * of.found);
  sums.add(Feature::kFour, count * fours);
  sums.add(Feature::kFourRun, of.runs * fours);
  sums.add(Feature::kFourProduct, of.taps * fours);
  sums.add(Feature::kSingle, count * alone);
  sums.add(Feature::kSingleRun, of.runs * alone);
  sums.add(Feature::kSingleProduct, of.taps * alone);
}

// So many inputs of a run at once; in MVE eight.
double products(const WindowTaps& of, int32_t channels, KernelId kernel, int at_once) {
  const double inputs = of.taps * channels;
  const bool vectors = info(kernel).set == InstructionSet::kMve && of.runs > 0;
  return vectors ? of.runs * std::ceil(inputs / of.runs / 8) : inputs / at_once;
}

}  // namespace

void count_in_fours(const runtime::UnfoldedConv2DParams& p, const CallShape& call,
                    FeatureSums sums) {
  const WindowTaps of = window_taps(p.window, call, p.in_per_group);
  const double outputs = extent(call.region, 3);
  const double groups = outputs < 4 ? outputs : std::ceil(outputs / 4);
  sums.add(Feature::kQuad, pixels(call.region) * groups);
  sums.add(Feature::kQuadRun, of.runs * groups);
  sums.add(Feature::kQuadProduct, products(of, p.in_per_group, call.kernel, 1) * groups);
}

void count(const runtime::Conv2DWordsParams& p, const CallShape& call, FeatureSums sums) {
  const double count = pixels(call.region);
  sums.add(Feature::kRow, rows(call.region));
  sums.add(Feature::kPixel, count);
  sums.add(Feature::kElement, count * extent(call.region, 3));
  if (call.in[0].modulus != 0 || call.out.modulus != 0) sums.add(Feature::kRingPixel, count);
  if (info(call.kernel).form == WeightForm::kDepthwise) return count_depthwise(p, call, sums);
  const WindowTaps of = window_taps(p.window, call, p.in_channels);
  const int32_t first = call.region.begin[3] / 4;
  double fours = 0, twos = 0;
  for (int32_t o = 4 * first; o < call.region.end[3]; o += 4)
    (runtime::words_group(p.out_channels, o) == 4 ? fours : twos) += 1;
  const bool parts = of.taps * p.in_channels > count * runtime::kMostInputs ||
                     of.runs > count * runtime::kMostRuns;
  const double found = parts ? 1 + fours + twos : of.found;
  sums.add(Feature::kOne, count * found);
  sums.add(Feature::kOneRun, of.runs * found);
  sums.add(Feature::kQuad, count * fours);
  sums.add(Feature::kQuadRun, of.runs * fours);
  const double each = products(of, p.in_channels, call.kernel, 2);
  sums.add(Feature::kQuadProduct, each * fours);
  sums.add(Feature::kSingle, count * twos);
  sums.add(Feature::kSingleRun, of.runs * twos);
  sums.add(Feature::kSingleProduct, each * twos);
}

}  // namespace thimble
