// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/call_features.h"

#include <algorithm>
#include <cmath>

#include "runtime/portable/copy_runs.h"
#include "runtime/portable/walk.h"
#include "thimble/model/error.h"
#include "thimble/target/kernels/feature_sums.h"

namespace thimble {
namespace {

bool any_ring(const CallShape& call) {
  return call.out.modulus != 0 ||
         std::ranges::any_of(call.in, [](const runtime::View& v) { return v.modulus != 0; });
}

// Pixel by pixel, or rows that lie evenly in memory as one (walk.h).
void count_elements(const CallShape& call, FeatureSums sums) {
  const auto channels = static_cast<int32_t>(extent(call.region, 3));
  bool even = runtime::even_row(call.out, channels);
  for (const runtime::View& view : call.in) even = even && runtime::even_row(view, channels);
  const double walked = even ? rows(call.region) : pixels(call.region);
  sums.add(Feature::kRow, rows(call.region));
  sums.add(Feature::kPixel, walked);
  sums.add(Feature::kElement, pixels(call.region) * channels);
  if (any_ring(call)) sums.add(Feature::kRingPixel, walked);
}

// Whether the first byte that a view is asked for, and those of other runs, lie at multiples of
// four if its data do.
bool aligned(const runtime::View& view, const runtime::Region& region, int axis, int32_t size) {
  int64_t first = region.begin[3] - int64_t{view.bias} - view.channel;
  for (int k = 0; k < 3; ++k) first += int64_t{region.begin[k]} * view.stride[k];
  return first * size % runtime::kWordBytes == 0 &&
         int64_t{view.stride[axis]} * size % runtime::kWordBytes == 0;
}

// What is counted of copies that move words.
struct CopyFeature {
  using F = Feature;
  static constexpr F kRunRow = F::kFour;  // rows of runs
  static constexpr F kRun = F::kFourRun;
  static constexpr F kAlignedBlock = F::kFourProduct;   // blocks of four words of runs
  static constexpr F kUnalignedBlock = F::kOneProduct;  // the same, not aligned
  static constexpr F kWord = F::kSingle;                // words behind the blocks
  static constexpr F kByte = F::kOne;                   // bytes behind the words
};

// Runs of bytes in blocks of four words, words and single bytes (copy_runs.h).
void count_runs(double runs, int32_t bytes, bool words, FeatureSums sums) {
  const int32_t blocks = bytes / runtime::kBlockBytes, tail = bytes % runtime::kBlockBytes;
  const int32_t words_left = tail / runtime::kWordBytes;
  sums.add(CopyFeature::kRun, runs);
  sums.add(words ? CopyFeature::kAlignedBlock : CopyFeature::kUnalignedBlock, runs * blocks);
  sums.add(CopyFeature::kWord, runs * words_left);
  sums.add(CopyFeature::kByte, runs * (tail % runtime::kWordBytes));
}

void count_copy(const CallShape& call, FeatureSums sums) {
  const runtime::Region& region = call.region;
  const auto size = static_cast<int32_t>(size_bytes(info(call.kernel).in));
  const int axis = runtime::run_axis(call.in[0], call.out, region, size);
  if (axis == 0) return count_elements(call, sums);
  const bool rings = any_ring(call);
  const double runs = axis == 1 ? rows(region) : pixels(region);
  const auto bytes =
      static_cast<int32_t>(extent(region, 3) * size * (axis == 1 ? extent(region, 2) : 1));
  const bool words =
      aligned(call.in[0], region, axis, size) && aligned(call.out, region, axis, size);
  sums.add(CopyFeature::kRunRow, axis == 1 ? extent(region, 0) : rings ? runs : rows(region));
  count_runs(runs, bytes, words, sums);
  if (rings) sums.add(Feature::kRingPixel, runs);
}

// What goes through pixels, then channels.
void count_pixels_of(const CallShape& call, FeatureSums sums) {
  sums.add(Feature::kRow, rows(call.region));
  sums.add(Feature::kPixel, pixels(call.region));
  sums.add(Feature::kElement, pixels(call.region) * extent(call.region, 3));
  if (any_ring(call)) sums.add(Feature::kRingPixel, pixels(call.region));
}

template <class Params>
void count(const Params&, const CallShape& call, FeatureSums sums) {
  count_elements(call, sums);
}

// Runs along the axis: what is kept, then what is new.
void count(const runtime::ShiftInParams& p, const CallShape& call, FeatureSums sums) {
  const auto size = static_cast<int32_t>(size_bytes(info(call.kernel).in));
  double runs = 1;
  int32_t index_bytes = size;
  for (int axis = 0; axis < p.axis; ++axis) runs *= extent(call.region, axis);
  for (int axis = p.axis + 1; axis < 4; ++axis) index_bytes *= extent(call.region, axis);
  const bool words = index_bytes % runtime::kWordBytes == 0;
  sums.add(CopyFeature::kRunRow, 2 * runs);
  count_runs(runs, p.kept * index_bytes, words, sums);
  count_runs(runs, p.count * index_bytes, words, sums);
}

void count(std::monostate, const CallShape& call, FeatureSums sums) {
  if (info(call.kernel).family == Family::kCopy) return count_copy(call, sums);
  count_elements(call, sums);
}

void count(const runtime::SoftmaxParams&, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
}
void count(const runtime::SoftmaxTableParams&, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
}
void count(const runtime::SoftmaxExponentialsParams&, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
}
void count(const runtime::ArgMaxParams& p, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
  sums.add(Feature::kOneProduct, pixels(call.region) * p.channels);
}
// Each walk over the boxes looks at all of their scores.
void count(const runtime::DetectionPostProcessParams& p, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
  const int64_t walks = p.regular != 0 ? int64_t{p.classes} * p.detections_per_class
                                       : int64_t{p.max_detections} * p.classes;
  sums.add(Feature::kOneProduct, walks * p.boxes);
}
void count(const runtime::CumSumParams&, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
}
void count(const runtime::L2NormalizationParams&, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
}
void count(const runtime::FloatCumSumParams&, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
}
void count(const runtime::FloatL2NormalizationParams&, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
}
void count(const runtime::LogSoftmaxParams&, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
}
// Each pixel is copied: in words (copy_nearest.h), or its channels one by one.
void count(const runtime::ResizeNearestNeighborParams&, const CallShape& call, FeatureSums sums) {
  const runtime::Region& region = call.region;
  const auto size = static_cast<int32_t>(size_bytes(info(call.kernel).in));
  const auto bytes = static_cast<int32_t>(extent(region, 3)) * size;
  if (runtime::run_axis(call.in[0], call.out, region, size) == 0 || bytes < runtime::kLeastRun)
    return count_pixels_of(call, sums);
  sums.add(Feature::kRow, rows(region));
  sums.add(Feature::kPixel, pixels(region));
  if (any_ring(call)) sums.add(Feature::kRingPixel, pixels(region));
  count_runs(pixels(region), bytes,
             aligned(call.in[0], region, 2, size) && aligned(call.out, region, 2, size), sums);
}
void count(const runtime::ResizeBilinearParams&, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
}

void count(const runtime::PadParams& p, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
  double inside = 1;
  for (int axis = 0; axis < 4; ++axis) {
    const int32_t begin = std::max(call.region.begin[axis], p.before[axis]);
    const int32_t end = std::min(call.region.end[axis], p.before[axis] + p.in_extent[axis]);
    inside *= std::max(0, end - begin);
  }
  sums.add(Feature::kOneProduct, inside);
}

void count(const runtime::FullyConnectedParams& p, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
  sums.add(Feature::kOneProduct, pixels(call.region) * extent(call.region, 3) * p.in_channels);
}

// What counts of the parameters of kernels in words.
runtime::Conv2DWordsParams in_words_of(const runtime::UnfoldedConv2DParams& p) {
  runtime::Conv2DWordsParams words{};
  words.window = p.window;
  words.in_channels = p.out_channels / p.out_per_group * p.in_per_group;
  words.out_channels = p.out_channels;
  return words;
}

// Each output alone, as the last ones of conv_2d. Taps in the padding count; of a transposed
// convolution only some meet a pixel.
void count(const runtime::UnfoldedConv2DParams& p, const CallShape& call, FeatureSums sums) {
  static const size_t words = KernelParams(runtime::Conv2DWordsParams{}).index();
  if (info(call.kernel).params == words) return count(in_words_of(p), call, sums);
  count_pixels_of(call, sums);
  const runtime::Window2D& w = p.window;
  if (info(call.kernel).set != InstructionSet::kPortable) return count_in_fours(p, call, sums);
  double taps = static_cast<double>(w.kernel_h) * w.kernel_w;
  if (info(call.kernel).family == Family::kTransposeConv) taps /= w.stride_h * w.stride_w;
  const double outputs = pixels(call.region) * extent(call.region, 3);
  sums.add(Feature::kSingle, outputs);
  sums.add(Feature::kSingleRun, outputs * taps);
  sums.add(Feature::kSingleProduct, outputs * taps * p.in_per_group);
}

// Sums of products one after the other, as of a fully connected layer that folds nothing.
void count(const runtime::SvdfFeaturesParams& p, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
  sums.add(Feature::kOneProduct, pixels(call.region) * p.depth);
}
void count_svdf(int32_t rank, int32_t memory, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
  sums.add(Feature::kOneRun, pixels(call.region) * rank);
  sums.add(Feature::kOneProduct, pixels(call.region) * rank * memory);
}
void count(const runtime::SvdfParams& p, const CallShape& call, FeatureSums sums) {
  count_svdf(p.rank, p.memory, call, sums);
}
void count(const runtime::FloatSvdfParams& p, const CallShape& call, FeatureSums sums) {
  count_svdf(p.rank, p.memory, call, sums);
}
template <class Params>
double gates_of_lstm(const Params& p, const CallShape& call) {
  return 4.0 * p.units * p.times * pixels(call.region);
}
void count(const runtime::LstmParams& p, const CallShape& call, FeatureSums sums) {
  const double gates = gates_of_lstm(p, call);
  sums.add(Feature::kElement, gates / 4);
  sums.add(Feature::kOneRun, 2 * gates);
  sums.add(Feature::kOneProduct, gates * (p.inputs + p.units));
}
// What a logistic or tanh of float32 comes to, with hardware for it and without.
constexpr double kElementsOfFunction = 10;
// A function for each gate and the cell, and two elements.
template <class Params>
void count_float_lstm(const Params& p, const CallShape& call, FeatureSums sums) {
  const double gates = gates_of_lstm(p, call);
  sums.add(Feature::kElement, (5 * kElementsOfFunction + 2) / 4 * gates);
  sums.add(Feature::kSingleRun, 2 * gates);
  sums.add(Feature::kSingleProduct, gates * (p.inputs + p.units));
}
void count(const runtime::FloatLstmParams& p, const CallShape& call, FeatureSums sums) {
  count_float_lstm(p, call, sums);
}
void count(const runtime::HybridLstmParams& p, const CallShape& call, FeatureSums sums) {
  count_float_lstm(p, call, sums);
  sums.add(Feature::kWeight, gates_of_lstm(p, call) * (p.inputs + p.units));
}
// A function for each gate.
void count(const runtime::FloatRecurrentParams& p, const CallShape& call, FeatureSums sums) {
  const Family family = info(call.kernel).family;
  const double gates = family == Family::kRnn || family == Family::kRnnRelu ? 1 : 3;
  const double rows = gates * extent(call.region, 1) * p.times * p.units;
  sums.add(Feature::kElement, kElementsOfFunction * rows);
  sums.add(Feature::kSingleRun, 2 * rows);
  sums.add(Feature::kSingleProduct, rows * (p.inputs + p.units));
}

void count(const runtime::StepLoopParams& p, const CallShape& call, FeatureSums sums) {
  const double times = p.times * rows(call.region);
  sums.add(Feature::kElement, times * (p.inputs + p.elements));
  sums.add(Feature::kOneProduct, times * p.products);
}

// Butterflies: half of the size, once for each pair of bits of it.
void count(const runtime::SignalRfftParams& p, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
  sums.add(Feature::kOneRun, pixels(call.region) * std::log2(p.size));
  sums.add(Feature::kOneProduct, pixels(call.region) * p.size / 4.0 * std::log2(p.size));
}
void count(const runtime::SignalAutoShiftParams& p, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
  sums.add(Feature::kOneProduct, pixels(call.region) * p.samples);
}

void count(const runtime::BatchMatMulParams& p, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
  const double count = pixels(call.region);
  const auto [quads, singles] = in_quads(static_cast<int32_t>(extent(call.region, 3)));
  sums.add(Feature::kOneProduct, count * p.depth);
  sums.add(Feature::kQuad, count * quads);
  sums.add(Feature::kQuadProduct, count * quads * p.depth);
  sums.add(Feature::kSingle, count * singles);
  sums.add(Feature::kSingleProduct, count * singles * p.depth);
  if (any_ring(call)) sums.add(Feature::kRingRun, count * extent(call.region, 3));
}

// Products of float32, each output alone. Taps in the padding count; of a transposed convolution
// only some meet a pixel.
template <class Params>
double count_float_convolution(const Params& p, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
  const runtime::Window2D& w = p.window;
  double taps = static_cast<double>(w.kernel_h) * w.kernel_w;
  if (info(call.kernel).family == Family::kTransposeConv) taps /= w.stride_h * w.stride_w;
  const double outputs = pixels(call.region) * extent(call.region, 3);
  const double products = outputs * taps * p.in_per_group;
  sums.add(Feature::kSingleRun, outputs * taps);
  sums.add(Feature::kSingleProduct, products);
  return products;
}
void count(const runtime::FloatConv2DParams& p, const CallShape& call, FeatureSums sums) {
  count_float_convolution(p, call, sums);
}
// The weight of each product is dequantised.
void count(const runtime::HybridConv2DParams& p, const CallShape& call, FeatureSums sums) {
  sums.add(Feature::kWeight, count_float_convolution(p, call, sums));
}
void count(const runtime::FloatMatMulParams& p, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
  sums.add(Feature::kSingleProduct, pixels(call.region) * extent(call.region, 3) * p.depth);
}
void count(const runtime::FloatPool2DParams& p, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
  const TapSums y = row_taps(p.window, call.region), x = column_taps(p.window, call.region);
  sums.add(Feature::kSingleRun,
           extent(call.region, 0) * y.inside * x.inside * extent(call.region, 3));
}
void count(const runtime::NumberPoolParams& p, const CallShape& call, FeatureSums sums) {
  count(runtime::FloatPool2DParams{p.window, 0, 0}, call, sums);
}
void count(const runtime::FloatMeanParams& p, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
  double summed = 1;
  for (int axis = 0; axis < 4; ++axis) summed *= p.reduced[axis] != 0 ? p.in_extent[axis] : 1;
  sums.add(Feature::kSingleRun, pixels(call.region) * extent(call.region, 3) * summed);
}
void count(const runtime::FloatResizeBilinearParams&, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
  sums.add(Feature::kSingleProduct, 4 * pixels(call.region) * extent(call.region, 3));
}

// What is counted of pools and means of instruction sets.
struct BoxFeature {
  using F = Feature;
  static constexpr F kEight = F::kFour;              // eights of channels at all pixels
  static constexpr F kEightRow = F::kFourRun;        // rows of the boxes of these
  static constexpr F kEightPixel = F::kFourProduct;  // pixels of these
  // Rows of boxes of single channels, where there are fewer than eight.
  static constexpr F kChannelRow = F::kSingleRun;
  static constexpr F kChannelPixel = F::kSingleProduct;
};

// Sums of boxes (runtime/portable/pixel_box.h): rows and pixels of the boxes of all output pixels.
void count_boxes(const CallShape& call, double boxes_rows, double boxes_pixels, FeatureSums sums) {
  const double channels = extent(call.region, 3);
  if (channels < 8) {
    sums.add(BoxFeature::kChannelRow, channels * boxes_rows);
    sums.add(BoxFeature::kChannelPixel, channels * boxes_pixels);
    return;
  }
  const double eights = std::ceil(channels / 8);
  sums.add(BoxFeature::kEight, eights * pixels(call.region));
  sums.add(BoxFeature::kEightRow, eights * boxes_rows);
  sums.add(BoxFeature::kEightPixel, eights * boxes_pixels);
}

// Kernels to int16 count as if they summed, too: more than they do (docs/cost.md).
bool finalises_bytes(KernelId kernel, Family family) {
  return info(kernel).family == family && info(kernel).out == DType::kInt8;
}

void count(const runtime::Pool2DParams& p, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
  if (finalises_bytes(call.kernel, Family::kAveragePool2DFinalise)) return;
  const runtime::Region& region = call.region;
  const double images = extent(region, 0);
  const TapSums y = row_taps(p.window, region), x = column_taps(p.window, region);
  const double taps = images * y.inside * x.inside, runs = images * y.inside * x.outputs;
  if (info(call.kernel).set != InstructionSet::kPortable)
    return count_boxes(call, runs, taps, sums);
  const auto [quads, singles] = in_quads(static_cast<int32_t>(extent(region, 3)));
  sums.add(Feature::kQuad, quads * pixels(region));
  sums.add(Feature::kQuadRun, quads * runs);
  sums.add(Feature::kQuadProduct, quads * taps);
  sums.add(Feature::kSingle, singles * pixels(region));
  sums.add(Feature::kSingleRun, singles * runs);
  sums.add(Feature::kSingleProduct, singles * taps);
  if (call.in[0].modulus != 0) sums.add(Feature::kRingRun, (quads + singles) * taps);
}

// Rows, pixels and elements that are summed for each element of the output; singles: of those whose
// channels are not summed four at a time, once more.
void count(const runtime::MeanParams& p, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
  if (finalises_bytes(call.kernel, Family::kMeanFinalise)) return;
  const auto summed = [&](int axis) { return p.reduced[axis] != 0 ? p.in_extent[axis] : 1.0; };
  if (info(call.kernel).set != InstructionSet::kPortable) {
    const double boxes = pixels(call.region);
    const bool in_one = call.in[0].stride[1] == p.in_extent[2] * call.in[0].stride[2];
    return count_boxes(call, boxes * (in_one ? 1 : summed(1)), boxes * summed(1) * summed(2), sums);
  }
  const double elements = pixels(call.region) * extent(call.region, 3);
  const double lines = elements * summed(0) * summed(1);
  sums.add(Feature::kOne, lines);
  sums.add(Feature::kOneRun, lines * summed(2));
  sums.add(Feature::kOneProduct, lines * summed(2) * summed(3));
  const double channels = extent(call.region, 3);
  const double alone = p.reduced[3] != 0 ? channels : channels - 4 * std::floor(channels / 4);
  const double share = channels > 0 ? alone / channels : 0;
  sums.add(Feature::kSingle, lines * share);
  sums.add(Feature::kSingleRun, lines * share * summed(2));
  sums.add(Feature::kSingleProduct, lines * share * summed(2) * summed(3));
}

// A chunk of sums: for each pixel of the sums, the pixels of the input, and their channels.
void count(const runtime::SumParams& p, const CallShape& call, FeatureSums sums) {
  count_pixels_of(call, sums);
  double summed = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (axis == p.chunk_axis) {
      summed *= call.chunk_end - call.chunk_begin;
    } else if (p.reduced[axis] != 0) {
      summed *= p.in_extent[axis];
    }
  }
  const double elements = pixels(call.region) * extent(call.region, 3);
  sums.add(Feature::kOneRun, pixels(call.region) * summed);
  sums.add(Feature::kOneProduct, elements * summed);
  if (call.chunk_begin == 0) sums.add(Feature::kWeight, elements);
}

bool empty(const CallShape& call) {
  if (info(call.kernel).accumulates && call.chunk_begin == call.chunk_end) return true;
  for (int axis = 0; axis < 4; ++axis) {
    if (call.region.begin[axis] >= call.region.end[axis]) return true;
  }
  return false;
}

}  // namespace

Features features(const CallShape& call) {
  Features result{};
  FeatureSums sums(result);
  sums.add(Feature::kCall, 1);
  if (call.looped) sums.add(Feature::kLooped, 1);
  if (!empty(call)) {
    std::visit([&](const auto& params) { count(params, call, sums); }, call.params);
  }
  return result;
}

}  // namespace thimble
