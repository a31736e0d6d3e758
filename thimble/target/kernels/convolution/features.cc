// SPDX-License-Identifier: Apache-2.0
// Convolutions (runtime/portable/convolve.h, convolve_slice.h, conv_2d_accumulate.cc).
#include <algorithm>
#include <cmath>

#include "runtime/dsp/window_reader.h"
#include "runtime/portable/convolve.h"
#include "thimble/target/kernels/feature_sums.h"

namespace thimble {
namespace {

using runtime::Conv2DParams;

constexpr int32_t kSliceChannels = 3;  // at most: convolve_slice.h
constexpr int32_t kFewChannels = 8;    // at most: conv_2d_accumulate.cc

double window_taps(const runtime::Window2D& w) { return double{1} * w.kernel_h * w.kernel_w; }

bool ring(const runtime::View& view) { return view.modulus != 0; }

// Neighbouring taps are one run of memory, as convolution_site() finds.
bool taps_join(const Conv2DParams& p, const CallShape& call, int32_t channels) {
  const runtime::View& x = call.in[0];
  return x.stride[3] == 1 && channels == p.in_per_group &&
         x.stride[2] * p.window.dilation_w == channels;
}

Channels in_groups(const Conv2DParams& p, const runtime::Region& region) {
  Channels channels;
  for (int32_t o = region.begin[3]; o < region.end[3];) {
    const int32_t end = std::min((o / p.out_per_group + 1) * p.out_per_group, region.end[3]);
    const Channels part = in_quads(end - o);
    channels.quads += part.quads;
    channels.singles += part.singles;
    o = end;
  }
  return channels;
}

// Runs of all windows that a ring's end cuts in two (taps_before_wrap).
double cut_runs(const runtime::Window2D& w, const runtime::View& x, const runtime::Region& region) {
  double cut = 0;
  const int32_t tap_step = x.stride[2] * w.dilation_w;
  for (int32_t n = region.begin[0]; n < region.end[0]; ++n) {
    for (int32_t y = region.begin[1]; y < region.end[1]; ++y) {
      const runtime::Taps down = runtime::rows_at(w, y);
      for (int32_t column = region.begin[2]; column < region.end[2]; ++column) {
        const runtime::Taps across = runtime::columns_at(w, column);
        const int32_t width = (across.end - across.begin - 1) * tap_step;
        for (int32_t k = down.begin; k < down.end && width > 0; ++k) {
          const int32_t at = ring_index(x, n, down.origin + k * w.dilation_h,
                                        across.origin + across.begin * w.dilation_w);
          cut += at + width >= x.modulus ? 1 : 0;
        }
      }
    }
  }
  return cut;
}

// `share`: of the pixels, those that are computed one by one. channels: of the input.
void count_windows(const Conv2DParams& p, const CallShape& call, int32_t channels, double share,
                   FeatureSums sums) {
  const runtime::Region& region = call.region;
  const double taps = window_taps(p.window);
  const TapSums y = row_taps(p.window, region), x = column_taps(p.window, region);
  const double images = extent(region, 0) * share;
  const double count = pixels(region) * share;
  const double inside = images * y.inside * x.inside;
  const bool joined = taps > 1 && taps_join(p, call, channels);
  // The only tap of a 1 x 1 window is found once for the pixel, and its run is the quad.
  const double found = taps == 1 ? 0 : joined ? images * y.inside * x.some_inside : inside;
  const double outside =
      taps == 1 ? 0
      : joined  ? images * (y.outputs * p.window.kernel_h * x.runs - y.inside * x.some_inside)
                : count * taps - inside;
  const bool cuts = joined && ring(call.in[0]);
  const double cut = !cuts      ? 0
                     : call.cut ? *call.cut * found
                                : share * cut_runs(p.window, call.in[0], region);
  const double runs = found + cut;
  const double products = count * taps * channels;
  const bool strided = call.in[0].stride[3] != 1;
  const double padding = (count * taps - inside) * channels;
  const auto [quads, singles] = in_groups(p, region);
  sums.add(Feature::kPixel, count);
  sums.add(Feature::kElement, count * extent(region, 3));
  sums.add(Feature::kQuad, quads * count);
  sums.add(Feature::kQuadRun, quads * runs);
  sums.add(Feature::kPaddingRun, (quads + singles) * outside);
  sums.add(Feature::kQuadProduct, quads * (strided ? 0 : products - padding));
  sums.add(Feature::kQuadStrided, quads * (strided ? products : padding));
  sums.add(Feature::kSingle, singles * count);
  sums.add(Feature::kSingleRun, singles * runs);
  sums.add(Feature::kSingleProduct, singles * products);
  if (ring(call.out) || (ring(call.in[0]) && taps == 1)) sums.add(Feature::kRingPixel, count);
  if (ring(call.in[0])) sums.add(Feature::kRingRun, (quads + singles) * runs);
}

// One to three channels: four neighbouring pixels at a time where none of them reads padding.
void count_slice(const Conv2DParams& p, const CallShape& call, FeatureSums sums) {
  Conv2DParams joined = p;
  runtime::Region region = call.region;
  if (runtime::rows_join(p.window, call.in[0], call.out, region)) {
    joined.window = runtime::join_rows(p.window);
    region = runtime::join_rows(region, p.window.in_w);
  }
  const runtime::Window2D& w = joined.window;
  const double channels = extent(region, 3), images = extent(region, 0);
  const TapSums y = row_taps(w, region), x = column_taps(w, region);
  const runtime::Outputs full = runtime::full_columns(w, region);
  const bool even = call.in[0].stride[3] == 1;
  const double fours = even ? std::max(0, (full.end - full.begin) / 4) : 0;
  const double four_count = images * y.full * fours;
  const double one_count = images * y.outputs * x.outputs - 4 * four_count;
  const double four_taps = 4 * four_count * window_taps(w);
  const double one_taps = images * y.inside * x.inside - four_taps;
  const bool runs = taps_join(joined, call, p.in_per_group);
  sums.add(Feature::kRow, images * y.outputs);
  sums.add(Feature::kPixel, four_count + one_count);
  sums.add(Feature::kElement, channels * pixels(region));
  sums.add(Feature::kFour, channels * four_count);
  sums.add(Feature::kFourRun, channels * four_count * w.kernel_h * (runs ? 1 : w.kernel_w));
  sums.add(Feature::kFourProduct, channels * four_taps / 4 * p.in_per_group);
  sums.add(Feature::kOne, channels * one_count);
  sums.add(Feature::kOneRun, channels * (runs ? one_taps / w.kernel_w : one_taps));
  sums.add(Feature::kOneProduct, channels * one_taps * p.in_per_group);
  sums.add(Feature::kWeight, channels * window_taps(w) * p.in_per_group);
}

// A chunk of few channels of a 1 x 1 window: four neighbouring pixels at a time. Returns the share
// of the pixels that are left.
double count_few(const Conv2DParams& p, const CallShape& call, FeatureSums sums) {
  const int32_t chunk = call.chunk_end - call.chunk_begin;
  if (chunk > kFewChannels || window_taps(p.window) > 1 || ring(call.in[0]) || ring(call.out))
    return 1;
  const runtime::Region& region = call.region;
  const double all = pixels(region);
  double fours = 0;
  if (runtime::rows_join(p.window, call.in[0], call.out, region)) {
    fours = extent(region, 0) * std::floor(extent(region, 1) * extent(region, 2) / 4);
  } else {
    const runtime::Outputs full = runtime::full_columns(p.window, region);
    fours = extent(region, 0) * row_taps(p.window, region).full *
            std::max(0, (full.end - full.begin) / 4);
  }
  const double channels = extent(region, 3);
  sums.add(Feature::kFour, fours);
  sums.add(Feature::kFourRun, fours * chunk);
  sums.add(Feature::kFourProduct, fours * chunk * channels);
  if (call.chunk_begin == 0) sums.add(Feature::kWeight, fours * channels);
  return all > 0 ? (all - 4 * fours) / all : 0;
}

// What is counted of kernels that make a few channels at a pair of pixels: conv_2d_pairs_*,
// conv_2d_mve, conv_2d_1x1_mve; conv_2d_1x1_dsp has blocks at one pixel. Pixels are windows that
// are read one by one, with conv_2d_1x1_mve calls of the block.
struct PairFeature {
  using F = Feature;
  static constexpr F kBlock = F::kQuad;                // a few channels at a pair of pixels
  static constexpr F kBlockProduct = F::kQuadProduct;  // a few inputs of one
  static constexpr F kLastBlock = F::kSingle;          // channels at a last pixel alone
  static constexpr F kLastProduct = F::kSingleProduct;
  static constexpr F kCutChannel = F::kOne;  // channels whose block is cut
  // Rows of windows looked for once for a row of outputs.
  static constexpr F kFoundRow = F::kQuadRun;
  // Rows of windows at pixels that a ring cuts.
  static constexpr F kCutRow = F::kSingleRun;
  static constexpr F kWindowPair = F::kFour;  // pairs of windows read together
  static constexpr F kWindowPairRun = F::kFourRun;
  static constexpr F kAlignedInputs = F::kFourProduct;  // every four inputs of such pairs
  static constexpr F kUnalignedInputs = F::kBroken;     // the same, not aligned
  static constexpr F kInputsLeft = F::kBrokenSingle;    // those behind the fours
  // Runs of windows read one by one, or rows copied.
  static constexpr F kWindowRun = F::kOneRun;
  static constexpr F kInputCopied = F::kOneProduct;  // inputs copied one by one
  static constexpr F kCutStore = F::kRingRun;        // pairs whose outputs are stored apart
};

// What the inner block of a kernel does at once, at two pixels.
struct PixelPairBlock {
  int channels, inputs;
};
constexpr PixelPairBlock kPairsDsp = {2, 4}, kNibblesDsp = {2, 8}, kFoursMve = {4, 16};

// Windows of rows that conv_2d_pairs_dsp copies, all but those of a last odd column, in pairs.
double count_windows_of_copies(const runtime::Window2D& w, int32_t in_channels,
                               const CallShape& call, FeatureSums sums) {
  const runtime::Region& region = call.region;
  const double columns = extent(region, 2);
  const double copied = extent(region, 0) * (w.kernel_h + (extent(region, 1) - 1) * w.stride_h);
  const double pairs = rows(region) * std::floor(columns / 2);
  const int32_t row = runtime::conv_2d_pairs_row_inputs(w.kernel_h, w.kernel_w, in_channels);
  const int32_t left = row % 4;
  sums.add(Feature::kRow, rows(region));
  sums.add(PairFeature::kFoundRow, rows(region) * w.kernel_h);
  sums.add(PairFeature::kWindowRun, copied);
  sums.add(PairFeature::kInputCopied,
           copied * in_channels * (w.kernel_w + (columns - 1) * w.stride_w));
  sums.add(PairFeature::kWindowPair, pairs);
  sums.add(PairFeature::kWindowPairRun, pairs * w.kernel_h);
  sums.add(PairFeature::kUnalignedInputs, pairs * std::ceil(w.kernel_h * row / 4.0));
  sums.add(PairFeature::kInputsLeft, pairs * w.kernel_h * left);
  return pairs;
}

// Windows that conv_2d_pairs_dsp reads two at a time, in pairs: those of rows that rings do not
// cut, a call of the block for each row unless the output's ring does (dsp/pixel_pairs.h). share:
// of the call.
double count_windows_of_rows(const runtime::Window2D& w, int32_t in_channels,
                             const runtime::Region& region, const CallShape& call, double share,
                             FeatureSums sums) {
  const runtime::View& x = call.in[0];
  const double all_rows = share * rows(region);
  sums.add(Feature::kRow, all_rows);
  const bool joined =
      x.stride[3] == 1 && (w.kernel_w == 1 || x.stride[2] * w.dilation_w == in_channels);
  const bool filled = runtime::conv_2d_pairs_row_inputs(w.kernel_h, w.kernel_w, in_channels) !=
                      w.kernel_w * in_channels;
  if (!joined || filled || w.kernel_h > runtime::WindowRows::kMostRows) return 0;
  sums.add(PairFeature::kFoundRow, all_rows * w.kernel_h);
  const int32_t run = w.kernel_w * in_channels, left = run % 4;
  const runtime::Outputs inner = runtime::full_columns(w, region);
  const TapSums y = row_taps(w, region);
  // A ring of columns cuts all rows or none.
  const double cut = cut_rows(x, read_columns(w, call));
  const double uncut = 1 - (columns_outermost(x) ? cut : std::min(1.0, w.kernel_h * cut));
  const double pairs = share * uncut * extent(region, 0) * (left == 0 ? y.outputs : y.full) *
                       std::max(0, (inner.end - inner.begin) / 2);
  const bool aligned = left == 0 && w.stride_w * x.stride[2] % 4 == 0;
  const double fours = std::ceil(double{1} * w.kernel_h * run / 4);
  const bool edges = region.begin[3] % 2 != 0 || region.end[3] % 2 != 0;
  sums.add(PairFeature::kWindowPair, pairs);
  sums.add(PairFeature::kWindowPairRun, pairs * w.kernel_h);
  sums.add(aligned ? PairFeature::kAlignedInputs : PairFeature::kUnalignedInputs, pairs * fours);
  sums.add(PairFeature::kInputsLeft, pairs * w.kernel_h * left);
  sums.add(PairFeature::kCutStore,
           edges ? pairs : pairs * cut_rows(call.out, written_columns(w, call)));
  return pairs;
}

double count_windows_by_two(const runtime::Window2D& w, int32_t in_channels, const CallShape& call,
                            FeatureSums sums) {
  const runtime::Region& region = call.region;
  runtime::Conv2DPairsParams p{};
  p.window = w;
  p.in_channels = in_channels;
  if (extent(region, 2) > 2 && runtime::conv_2d_pairs_row_bytes(p) > 0)
    return count_windows_of_copies(w, in_channels, call, sums);
  double apart = 1;  // share of calls whose rows are no single run of memory
  if (runtime::rows_join(w, call.in[0], call.out, region)) {
    const double rows = extent(region, 1);
    apart = 1 - (1 - cut_pieces(call.in[0], rows)) * (1 - cut_pieces(call.out, rows));
  }
  double pairs = 0;
  if (apart > 0) pairs += count_windows_of_rows(w, in_channels, region, call, apart, sums);
  if (apart < 1) {
    pairs += count_windows_of_rows(runtime::join_rows(w), in_channels,
                                   runtime::join_rows(region, w.in_w), call, 1 - apart, sums);
  }
  return pairs;
}

// A few output channels at two pixels at a time, at a last one alone, after the windows are put
// side by side (dsp/pixel_pairs.h, conv_2d_mve.cc).
void count_pixel_pairs(const runtime::Window2D& w, int32_t in_channels, const CallShape& call,
                       FeatureSums sums) {
  const bool mve = info(call.kernel).set == InstructionSet::kMve;
  const bool nibbles = info(call.kernel).form == WeightForm::kNibbles;
  const PixelPairBlock block = mve ? kFoursMve : nibbles ? kNibblesDsp : kPairsDsp;
  const runtime::Region& region = call.region;
  const double count = pixels(region), inputs = window_taps(w) * in_channels;
  // Wherever the region begins: a last pixel of many does not count, nor that a pair may be cut.
  const double alone = count == 1 ? 1 : 0, pairs = (count - alone) / 2;
  const double whole = std::ceil(extent(region, 3) / block.channels);
  const double edges = block.channels * whole - extent(region, 3);
  const double products = std::ceil(inputs / block.inputs);
  sums.add(Feature::kElement, count * extent(region, 3));
  sums.add(PairFeature::kBlock, pairs * whole);
  sums.add(PairFeature::kBlockProduct, pairs * whole * products);
  sums.add(PairFeature::kLastBlock, alone * whole);
  sums.add(PairFeature::kLastProduct, alone * whole * products);
  sums.add(PairFeature::kCutChannel, (pairs + alone) * edges);
  // Calls of a column find their pixels in rings; others go as if there were none but for rows that
  // these cut, whose windows are looked for one by one.
  if (mve || extent(region, 2) == 1) {
    sums.add(Feature::kRingPixel, count * ((ring(call.in[0]) ? 1 : 0) + (ring(call.out) ? 1 : 0)));
  } else {
    sums.add(PairFeature::kCutRow,
             count * w.kernel_h * cut_rows(call.in[0], read_columns(w, call)));
  }
  const double by_two = mve ? 0 : count_windows_by_two(w, in_channels, call, sums);
  const double read = count - 2 * by_two, share = count > 0 ? read / count : 0;
  if (mve) sums.add(Feature::kRow, rows(region));
  sums.add(Feature::kPixel, read);
  sums.add(Feature::kCopied, read * block.inputs * products);
  if (window_taps(w) > 1 && share > 0) {
    const TapSums y = row_taps(w, region), x = column_taps(w, region);
    const bool joined = call.in[0].stride[2] * w.dilation_w == in_channels;
    const double images = extent(region, 0);
    sums.add(PairFeature::kWindowRun,
             share * images * y.inside * (joined ? x.some_inside : x.inside));
    sums.add(Feature::kPaddingRun,
             images * (y.outputs * x.outputs * window_taps(w) - y.inside * x.inside));
    if (!mve && in_channels % 4 != 0) sums.add(PairFeature::kInputCopied, read * inputs);
  }
}

// Fours of output channels at two pixels, from where inputs lie: pairs within rows or, if these
// join, within an image (conv_2d_1x1_mve.cc). Pixels are calls of the block.
void count_joined_pairs(const runtime::Window2D& w, int32_t in_channels, const CallShape& call,
                        FeatureSums sums) {
  const runtime::Region& region = call.region;
  const int rings = (ring(call.in[0]) ? 1 : 0) + (ring(call.out) ? 1 : 0);
  const bool joined = runtime::rows_join(w, call.in[0], call.out, region);
  const double count = pixels(region);
  const double runs = rings > 0 ? 1 : joined ? extent(region, 0) : rows(region);
  const double pairs = runs > 0 ? runs * std::floor(count / runs / 2) : 0;
  const double alone = count - 2 * pairs;
  const double whole = std::floor(extent(region, 3) / kFoursMve.channels);
  const bool cut = extent(region, 3) > whole * kFoursMve.channels;
  const double fours = whole + (cut ? 1 : 0);
  const double products = std::ceil(static_cast<double>(in_channels) / kFoursMve.inputs);
  sums.add(Feature::kRow, runs);
  sums.add(Feature::kPixel, alone + (cut || rings > 0 ? pairs : runs));
  sums.add(Feature::kElement, count * extent(region, 3));
  sums.add(PairFeature::kBlock, pairs * fours);
  sums.add(PairFeature::kBlockProduct, pairs * fours * products);
  sums.add(PairFeature::kLastBlock, alone * fours);
  sums.add(PairFeature::kLastProduct, alone * fours * products);
  sums.add(PairFeature::kCutChannel, cut ? pairs + alone : 0);
  sums.add(Feature::kRingPixel, count * rings);
}

// From where inputs lie, pixel by pixel, two pairs of channels at a time (conv_2d_1x1_dsp.cc).
void count_single_pixels(int32_t in_channels, const CallShape& call, FeatureSums sums) {
  const double count = pixels(call.region), blocks = std::ceil(extent(call.region, 3) / 4);
  sums.add(Feature::kPixel, count);
  sums.add(Feature::kElement, count * extent(call.region, 3));
  sums.add(PairFeature::kBlock, count * blocks);
  sums.add(PairFeature::kBlockProduct, count * blocks * in_channels / 4);
}

// Features of a kernel whose weights are packed for it.
void count_packed(const runtime::Window2D& w, int32_t in_channels, const CallShape& call,
                  FeatureSums sums) {
  const KernelInfo& kernel = info(call.kernel);
  if (kernel.scratch_bytes != nullptr) return count_pixel_pairs(w, in_channels, call, sums);
  if (kernel.set == InstructionSet::kDsp) return count_single_pixels(in_channels, call, sums);
  count_joined_pairs(w, in_channels, call, sums);
}

}  // namespace

void count(const runtime::Conv2DPairsParams& p, const CallShape& call, FeatureSums sums) {
  count_packed(p.window, p.in_channels, call, sums);
}

void count(const runtime::Conv2DFoursParams& p, const CallShape& call, FeatureSums sums) {
  count_packed(p.window, p.in_channels, call, sums);
}

void count(const Conv2DParams& p, const CallShape& call, FeatureSums sums) {
  const runtime::Region& region = call.region;
  if (info(call.kernel).set != InstructionSet::kPortable)
    return count_packed(p.window, p.in_per_group, call, sums);
  if (info(call.kernel).family == Family::kConv2DFinalise) {
    sums.add(Feature::kRow, rows(region));
    sums.add(Feature::kPixel, pixels(region));
    sums.add(Feature::kElement, pixels(region) * extent(region, 3));
    if (ring(call.in[0]) || ring(call.out)) sums.add(Feature::kRingPixel, pixels(region));
    return;
  }
  if (call.chunk_end > call.chunk_begin) {
    sums.add(Feature::kRow, rows(region));
    count_windows(p, call, call.chunk_end - call.chunk_begin, count_few(p, call, sums), sums);
    return;
  }
  const bool nibbles = info(call.kernel).form == WeightForm::kNibbles;
  if (!nibbles && extent(region, 3) <= kSliceChannels && !ring(call.in[0]) && !ring(call.out))
    return count_slice(p, call, sums);
  sums.add(Feature::kRow, rows(region));
  count_windows(p, call, p.in_per_group, 1, sums);
}

void count(const runtime::Conv2DNarrowParams& p, const CallShape& call, FeatureSums sums) {
  const runtime::Region& region = call.region;
  const double images = extent(region, 0);
  const TapSums y = row_taps(p.window, region), x = column_taps(p.window, region);
  const double taps = images * y.inside * x.inside;
  const double products = taps * (call.chunk_end - call.chunk_begin);
  const auto [quads, singles] = in_quads(static_cast<int32_t>(extent(region, 3)));
  sums.add(Feature::kRow, rows(region));
  sums.add(Feature::kPixel, pixels(region));
  sums.add(Feature::kElement, pixels(region) * extent(region, 3));
  sums.add(Feature::kQuad, quads * pixels(region));
  sums.add(Feature::kQuadRun, quads * taps);
  sums.add(Feature::kQuadProduct, quads * products);
  sums.add(Feature::kSingle, singles * pixels(region));
  sums.add(Feature::kSingleRun, singles * taps);
  sums.add(Feature::kSingleProduct, singles * products);
  if (call.chunk_begin == 0) sums.add(Feature::kWeight, pixels(region) * extent(region, 3));
  if (ring(call.in[0])) sums.add(Feature::kRingRun, (quads + singles) * taps);
}

}  // namespace thimble
