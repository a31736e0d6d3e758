// SPDX-License-Identifier: Apache-2.0
// Convolutions of int16 in words, and transposed ones in fours (transpose_conv_in_fours.h).
#include <algorithm>
#include <cmath>

#include "runtime/dsp/input_runs.h"
#include "runtime/portable/transpose_conv.h"
#include "thimble/target/kernels/feature_sums.h"

namespace thimble {
namespace {

// What is counted of convolutions in words.
struct WordsFeature {
  using F = Feature;
  static constexpr F kFour = F::kQuad;        // groups of four channels
  static constexpr F kFourRun = F::kQuadRun;  // runs of inputs of these
  // Every two inputs, in MVE every eight of a run.
  static constexpr F kFourProduct = F::kQuadProduct;
  static constexpr F kTwo = F::kSingle;  // groups of two channels
  static constexpr F kTwoRun = F::kSingleRun;
  static constexpr F kTwoProduct = F::kSingleProduct;
  static constexpr F kFoundPixel = F::kOne;  // pixels whose runs are looked for
  static constexpr F kFoundRun = F::kOneRun;
};

// What is counted of depthwise ones in words.
struct DepthwiseWordsFeature {
  using F = Feature;
  static constexpr F kFour = F::kFour;        // groups of four channels
  static constexpr F kFourRow = F::kFourRun;  // rows of taps of these
  static constexpr F kFourTap = F::kFourProduct;
  static constexpr F kChannel = F::kSingle;  // channels alone
  static constexpr F kChannelRow = F::kSingleRun;
  static constexpr F kChannelTap = F::kSingleProduct;
  static constexpr F kFoundPixel = F::kOne;  // pixels whose taps are looked for
  static constexpr F kFoundRow = F::kOneRun;
};

// What is counted of transposed ones in fours.
struct InFoursFeature {
  using F = Feature;
  // Four channels, or one where there are fewer.
  static constexpr F kGroup = F::kQuad;
  static constexpr F kGroupRun = F::kQuadRun;
  static constexpr F kGroupProduct = F::kQuadProduct;  // every input
};

/// Taps and runs of the windows of all pixels, padding left out.
struct WindowTaps {
  double taps = 0, runs = 0;
  double found = 1;  ///< share of the pixels that are looked for; the others move on
};

// Taps along one axis.
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
  sums.add(DepthwiseWordsFeature::kFoundPixel, count * of.found);
  sums.add(DepthwiseWordsFeature::kFoundRow, of.runs * of.found);
  sums.add(DepthwiseWordsFeature::kFour, count * fours);
  sums.add(DepthwiseWordsFeature::kFourRow, of.runs * fours);
  sums.add(DepthwiseWordsFeature::kFourTap, of.taps * fours);
  sums.add(DepthwiseWordsFeature::kChannel, count * alone);
  sums.add(DepthwiseWordsFeature::kChannelRow, of.runs * alone);
  sums.add(DepthwiseWordsFeature::kChannelTap, of.taps * alone);
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
  sums.add(InFoursFeature::kGroup, pixels(call.region) * groups);
  sums.add(InFoursFeature::kGroupRun, of.runs * groups);
  sums.add(InFoursFeature::kGroupProduct, products(of, p.in_per_group, call.kernel, 1) * groups);
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
  sums.add(WordsFeature::kFoundPixel, count * found);
  sums.add(WordsFeature::kFoundRun, of.runs * found);
  sums.add(WordsFeature::kFour, count * fours);
  sums.add(WordsFeature::kFourRun, of.runs * fours);
  const double each = products(of, p.in_channels, call.kernel, 2);
  sums.add(WordsFeature::kFourProduct, each * fours);
  sums.add(WordsFeature::kTwo, count * twos);
  sums.add(WordsFeature::kTwoRun, of.runs * twos);
  sums.add(WordsFeature::kTwoProduct, each * twos);
}

}  // namespace thimble
