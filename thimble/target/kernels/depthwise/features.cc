// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions (runtime/portable/depthwise_conv_2d.cc, depthwise_plane.h,
// runtime/dsp/depthwise_dsp.h, runtime/mve/depthwise_conv_2d_mve.cc).
#include <algorithm>
#include <cmath>
#include <limits>

#include "thimble/target/kernels/feature_sums.h"

namespace thimble {
namespace {

using runtime::DepthwiseConv2DParams;
using runtime::Window2D;

// Quads only of channels whose inputs lie evenly: one each, or one for all four.
Channels in_even_quads(int32_t multiplier, const runtime::Region& region) {
  if (multiplier == 1) return in_quads(region.end[3] - region.begin[3]);
  Channels channels;
  for (int32_t o = region.begin[3]; o < region.end[3];) {
    const bool even = (o / multiplier + 1) * multiplier - o >= 4 && region.end[3] - o >= 4;
    (even ? channels.quads : channels.singles) += 1;
    o += even ? 4 : 1;
  }
  return channels;
}

// Taps and their rows.
struct TapCount {
  double taps = 0, rows = 0;
};

bool broken(const Window2D& w, const runtime::View& x, int32_t first, const runtime::Taps& down,
            const runtime::Taps& across) {
  const int32_t row_step = x.stride[1] * w.dilation_h;
  const int32_t row = (across.end - across.begin - 1) * x.stride[2] * w.dilation_w;
  const int32_t last = first + (down.end - down.begin - 1) * row_step + row;
  if (last < x.modulus) return false;
  const int32_t wrap_row = (x.modulus - first + row_step - 1) / row_step;
  return first + (wrap_row - 1) * row_step + row >= x.modulus || last >= 2 * x.modulus;
}

// Taps of windows with a row that the end of a ring cuts in two (find_wrap): the kernel goes tap by
// tap. all: taps of all windows.
TapCount broken_taps(const DepthwiseConv2DParams& p, const CallShape& call, const TapCount& all) {
  if (call.cut) return {*call.cut * all.taps, *call.cut * all.rows};
  const runtime::Region& region = call.region;
  const runtime::View& x = call.in[0];
  const Window2D& w = p.window;
  TapCount count;
  for (int32_t n = region.begin[0]; n < region.end[0]; ++n) {
    for (int32_t y = region.begin[1]; y < region.end[1]; ++y) {
      const runtime::Taps down = runtime::rows_at(w, y);
      for (int32_t column = region.begin[2]; column < region.end[2]; ++column) {
        const runtime::Taps across = runtime::columns_at(w, column);
        if (down.begin == down.end || across.begin == across.end) continue;
        const int32_t first = ring_index(x, n, down.origin + down.begin * w.dilation_h,
                                         across.origin + across.begin * w.dilation_w);
        if (!broken(w, x, first, down, across)) continue;
        count.rows += down.end - down.begin;
        count.taps += (down.end - down.begin) * (across.end - across.begin);
      }
    }
  }
  return count;
}

void count_pixels(const DepthwiseConv2DParams& p, const CallShape& call, FeatureSums sums) {
  const runtime::Region& region = call.region;
  const Window2D& w = p.window;
  const double images = extent(region, 0), count = pixels(region);
  const TapSums y = row_taps(w, region), x = column_taps(w, region);
  const double inside = images * y.inside * x.inside;
  const TapCount all{inside, images * y.inside * x.some_inside};
  const TapCount one_by_one = call.in[0].modulus == 0 ? TapCount{} : broken_taps(p, call, all);
  const double taps = all.taps - one_by_one.taps;
  const double runs = all.rows - one_by_one.rows;
  const double clipped = count - images * y.full * x.full;
  const double padding = count * w.kernel_h * w.kernel_w - inside;
  const auto [quads, singles] = in_even_quads(p.multiplier, region);
  const bool even = p.multiplier == 1 && call.in[0].stride[3] == 1;
  sums.add(Feature::kRow, rows(region));
  sums.add(Feature::kPixel, count);
  sums.add(Feature::kElement, count * extent(region, 3));
  sums.add(Feature::kQuad, quads * count);
  sums.add(Feature::kQuadRun, quads * runs);
  sums.add(even ? Feature::kQuadProduct : Feature::kQuadStrided, quads * taps);
  sums.add(Feature::kSingle, singles * count);
  sums.add(Feature::kSingleRun, singles * runs);
  sums.add(Feature::kSingleProduct, singles * taps);
  sums.add(Feature::kBroken, quads * one_by_one.taps);
  sums.add(Feature::kBrokenSingle, singles * one_by_one.taps);
  sums.add(Feature::kPaddingRun, (quads + singles) * clipped * w.kernel_h);
  sums.add(Feature::kPaddingQuad, quads * padding);
  sums.add(Feature::kPaddingSingle, singles * padding);
  if (call.in[0].modulus != 0 || call.out.modulus != 0) sums.add(Feature::kRingPixel, count);
}

// Channel by channel. in_place: from a copy of the channel, whose longer axis is walked inside.
void count_planes(const DepthwiseConv2DParams& p, const CallShape& call, bool in_place,
                  FeatureSums sums) {
  const runtime::Region& region = call.region;
  const Window2D& w = p.window;
  const TapSums y = row_taps(w, region), x = column_taps(w, region);
  const runtime::Outputs full_y = runtime::full_rows(w, region);
  const runtime::Outputs full_x = runtime::full_columns(w, region);
  const bool tall = in_place && full_y.end - full_y.begin > full_x.end - full_x.begin;
  const TapSums& outer = tall ? x : y;
  const TapSums& inner = tall ? y : x;
  const double inner_kernel = tall ? w.kernel_h : w.kernel_w;
  const auto full = static_cast<int32_t>(inner.full);
  // A copy lets the last four overlap those before.
  const double fours = in_place && full >= 4 ? (full + 3) / 4 : full / 4;
  const double ones = inner.outputs - (in_place && full >= 4 ? full : 4 * fours);
  const double one_taps = inner.inside - (inner.outputs - ones) * inner_kernel;
  const double planes = extent(region, 0) * extent(region, 3);
  sums.add(Feature::kPixel, planes);
  sums.add(Feature::kRow, planes * outer.outputs);
  sums.add(Feature::kElement, planes * outer.outputs * inner.outputs);
  sums.add(Feature::kWeight, planes * (w.kernel_h * w.kernel_w + outer.inside * inner_kernel));
  sums.add(Feature::kFour, planes * outer.outputs * fours);
  sums.add(Feature::kFourRun, planes * outer.inside * fours);
  sums.add(Feature::kFourProduct, planes * outer.inside * fours * inner_kernel);
  sums.add(Feature::kOne, planes * outer.outputs * ones);
  sums.add(Feature::kOneRun, planes * outer.inside * ones);
  sums.add(Feature::kOneProduct, planes * outer.inside * one_taps);
  if (in_place) sums.add(Feature::kCopied, planes * w.in_h * w.in_w);
}

// What is counted of depthwise_conv_2d_*_dsp, which make blocks of outputs of packed rows.
struct BlockFeature {
  using F = Feature;
  // Blocks of 2 x 2 outputs, times channels, as all blocks.
  static constexpr F kTwoByTwo = F::kQuad;
  static constexpr F kFourStrided = F::kQuadStrided;  // blocks of 1 x 4 with stride 2
  static constexpr F kFourInRow = F::kFourProduct;    // blocks of 1 x 4 with stride 1
  static constexpr F kTwoInRow = F::kSingle;          // blocks of two outputs
  static constexpr F kFourOfAny = F::kPixel;          // four outputs of any other window
  static constexpr F kWeightWords = F::kQuadProduct;  // every two words of weights of these
  static constexpr F kBlock = F::kQuadRun;            // blocks
  static constexpr F kCall = F::kFour;                // calls for blocks
  static constexpr F kCutCall = F::kRingPixel;        // calls in rows of outputs that a ring cuts
  static constexpr F kBlockRow = F::kRow;             // rows of blocks
  static constexpr F kStrip = F::kOne;
  static constexpr F kPackedRow = F::kOneRun;
  static constexpr F kPackedPair = F::kFourRun;  // pairs of columns of packed rows
  static constexpr F kPackedFour = F::kCopied;   // fours of channels of these
  // Channels left; two words of weights that are unpacked.
  static constexpr F kPackedChannel = F::kOneProduct;
  static constexpr F kCutPackedRow = F::kRingRun;  // packed rows that a ring cuts
};

// What is counted of them where they go pixel by pixel.
struct PixelFeature {
  using F = Feature;
  static constexpr F kPixel = F::kSingleRun;
  static constexpr F kPixelFour = F::kSingleProduct;     // fours of channels at pixels
  static constexpr F kPixelChannel = F::kPaddingSingle;  // channels left at these
  static constexpr F kPixelRow = F::kPaddingRun;         // rows of pixels
  static constexpr F kRingRow = F::kPaddingQuad;         // such rows of rings
  // Rows of windows that are looked for tap by tap.
  static constexpr F kSoughtRow = F::kBroken;
  static constexpr F kFilled = F::kBrokenSingle;   // what a call fills with padding
  static constexpr F kRingOutput = F::kRingPixel;  // pixels found in the ring of the output
};

// What is counted of depthwise_conv_2d_mve.
struct PlaneFeature {
  using F = Feature;
  static constexpr F kGroupRow = F::kRow;        // rows of groups
  static constexpr F kRowBlock = F::kSingle;     // blocks of rows
  static constexpr F kBlock = F::kQuad;          // blocks of a row
  static constexpr F kVector = F::kQuadProduct;  // vectors of these
  static constexpr F kChannel = F::kFour;        // channels of groups
  static constexpr F kCall = F::kOne;            // calls for these
  static constexpr F kPackedRow = F::kOneRun;
  static constexpr F kPackedEight = F::kOneProduct;  // eights of channels of packed rows
  static constexpr F kPackedColumn = F::kFourRun;    // columns of these
  static constexpr F kWeightPacked = F::kWeight;
};

// What the DSP kernels go by.
struct Packed {
  const Window2D& window;
  int32_t multiplier;
  int32_t scratch_bytes;
};

// Counts the blocks of one call for a group of its channels as the driver makes them.
class BlockCounts {
 public:
  BlockCounts(const Packed& p, const CallShape& call, const runtime::Region& region,
              FeatureSums sums)
      : p_(p), call_(call), region_(region), sums_(sums) {
    const int32_t first = region_.begin[3] / p.multiplier;
    in_channels_ = (region_.end[3] - 1) / p.multiplier + 1 - first;
    channels_ = extent(region_, 3);
    runs_ = p.multiplier == 1 ? 1 : in_channels_;
    budget_ = (p.scratch_bytes - runtime::depthwise_padding_bytes(in_channels_) -
               runtime::kDepthwiseSlackBytes) /
              (in_channels_ * 4);
  }

  void count() {
    const Window2D& w = p_.window;
    const auto rows = static_cast<int32_t>(extent(region_, 1));
    const auto width = static_cast<int32_t>(extent(region_, 2));
    const bool fixed = runtime::is_depthwise_3x3(w);
    const int32_t pairs = runtime::depthwise_pairs(w, width);
    images_ = extent(region_, 0);
    int32_t left = rows;
    if (fixed && w.stride_h == 1 && 4 * pairs <= budget_ && rows >= 2) {
      const bool in_place = info(call_.kernel).family == Family::kDepthwiseConv2DInPlace;
      const int32_t twice = in_place ? (rows + 1) / 2 : rows / 2;
      pack(pairs, 2 * twice + 2 - (in_place ? rows % 2 : 0));
      row_pairs(twice, width);
      left = in_place ? 0 : rows % 2;
    } else if (fixed && w.stride_h == 2 && 3 * pairs <= budget_) {
      pack(pairs, 2 * rows + 1);
      fours(BlockFeature::kFourStrided, rows, width);
      left = 0;
    }
    if (!fixed && w.stride_h < w.kernel_h && w.kernel_h * pairs <= budget_) {
      pack(pairs, w.kernel_h + (rows - 1) * w.stride_h);
      sums_.add(Feature::kWeight, images_ * (rows - 1) * in_channels_ * pairs * w.kernel_h);
      any(rows, width);
      left = 0;
    }
    if (left > 0) strips(left, width, fixed);
    sums_.add(BlockFeature::kCutPackedRow,
              packed_rows_ * cut_rows(call_.in[0], read_columns(w, call_)));
  }

 private:
  // Rows of `pairs` pairs.
  void pack(double pairs, double rows) {
    const int32_t fours = in_channels_ / 4, rest = in_channels_ % 4;
    packed_rows_ += images_ * rows;
    sums_.add(BlockFeature::kPackedRow, images_ * rows);
    sums_.add(BlockFeature::kPackedPair, images_ * rows * pairs);
    sums_.add(BlockFeature::kPackedFour, images_ * rows * pairs * fours);
    sums_.add(BlockFeature::kPackedChannel, images_ * rows * pairs * rest);
  }
  // Blocks side by side in `rows` rows, and calls for them.
  void blocks(Feature block, double rows, double count) {
    sums_.add(block, images_ * rows * count * channels_);
    sums_.add(BlockFeature::kBlock, images_ * rows * count * runs_);
  }
  // Where a ring ends within a row of outputs, each block has one.
  void calls(double rows, double count, double blocks) {
    const double alone = cut_rows(call_.out, written_columns(p_.window, call_));
    const double all = (1 - alone) * count + alone * blocks;
    sums_.add(BlockFeature::kCall, images_ * rows * all * runs_);
    sums_.add(BlockFeature::kCutCall, images_ * rows * alone * blocks);
  }

  void row_pairs(double rows, int32_t width) {
    const int32_t pairs = width / 2, single = width % 2;
    sums_.add(BlockFeature::kBlockRow, images_ * rows);
    blocks(BlockFeature::kTwoByTwo, rows, pairs);
    blocks(BlockFeature::kTwoInRow, rows, single);
    calls(rows, (width > 1 ? 1 : 0) + single, pairs + single);
  }
  void fours(Feature block, double rows, int32_t width) {
    sums_.add(BlockFeature::kBlockRow, images_ * rows);
    const int32_t rest = width % 4, count = width / 4 + (rest == 3 ? 1 : 0);
    blocks(block, rows, count);
    blocks(BlockFeature::kTwoInRow, rows, rest == 1 || rest == 2 ? 1 : 0);
    calls(rows, (width > 3 ? 1 : 0) + (rest > 0 ? 1 : 0), std::ceil(width / 4.0));
  }
  void any(double rows, int32_t width) {
    const int32_t forms = p_.window.stride_w % 2 == 0 ? 1 : 2;
    sums_.add(BlockFeature::kBlockRow, images_ * rows);
    for (int32_t form = 0; form < forms; ++form) {
      const int32_t outputs = (width + forms - 1 - form) / forms;
      const int32_t count = (outputs + 3) / 4;
      blocks(BlockFeature::kFourOfAny, rows, count);
      sums_.add(BlockFeature::kWeightWords, images_ * rows * count * channels_ *
                                                runtime::depthwise_weight_words(p_.window) / 2);
      calls(rows, (outputs > 3 ? 1 : 0) + (outputs % 4 > 0 ? 1 : 0), count);
    }
  }
  void strips(int32_t rows, int32_t width, bool fixed) {
    const Window2D& w = p_.window;
    const int32_t most = runtime::depthwise_outputs(w, budget_ / w.kernel_h);
    for (int32_t begin = 0; begin < width; begin += most) {
      const int32_t count = std::min(most, width - begin);
      pack(runtime::depthwise_pairs(w, count), rows * w.kernel_h);
      sums_.add(BlockFeature::kStrip, images_ * rows);
      if (!fixed) {
        any(rows, count);
      } else {
        fours(w.stride_w == 1 ? BlockFeature::kFourInRow : BlockFeature::kFourStrided, rows, count);
      }
    }
  }

  const Packed& p_;
  const CallShape& call_;
  runtime::Region region_;
  FeatureSums sums_;
  int32_t in_channels_ = 1, budget_ = 0;
  double channels_ = 0, runs_ = 0, images_ = 0, packed_rows_ = 0;
};

// Windows of 3 x 3 from the inputs as they are (depthwise_pixels.h).
void count_each_pixel(const Window2D& w, const CallShape& call, FeatureSums sums) {
  const runtime::Region& region = call.region;
  const runtime::View& x = call.in[0];
  const TapSums down = row_taps(w, region), across = column_taps(w, region);
  const auto [quads, singles] = in_quads(region.end[3] - region.begin[3]);
  const double count = pixels(region), images = extent(region, 0);
  const double clipped = 3 * count - images * down.inside * across.full;
  // Behind the end of a ring, to the end of the row.
  const double cut = cut_rows(x, read_columns(w, call)) * 3 * count / 2;
  sums.add(PixelFeature::kPixel, count);
  sums.add(PixelFeature::kPixelFour, count * quads);
  sums.add(PixelFeature::kPixelChannel, count * singles);
  sums.add(PixelFeature::kPixelRow, rows(region));
  if (x.modulus != 0) sums.add(PixelFeature::kRingRow, rows(region));
  sums.add(PixelFeature::kSoughtRow, clipped + cut);
  sums.add(PixelFeature::kFilled, quads + singles);
  if (call.out.modulus != 0) sums.add(PixelFeature::kRingOutput, count);
}

// All of the region's channels at once, or `most` at a time where outputs lie over inputs that
// others still want: strips of a row if there is room for one, else four channels of a pixel.
void count_blocks(const Packed& p, const CallShape& call, FeatureSums sums) {
  runtime::Region part = call.region;
  const bool compact = info(call.kernel).form == WeightForm::kCompact;
  const int32_t unpacked = compact ? runtime::depthwise_unpacked_bytes(p.window) : 0;
  const int32_t fours =
      runtime::depthwise_fours(p.window, p.scratch_bytes, part.end[2] - part.begin[2],
                               part.end[1] - part.begin[1], unpacked);
  const bool in_place = info(call.kernel).family == Family::kDepthwiseConv2DInPlace;
  if (compact) {
    const int32_t words =
        runtime::depthwise_forms(p.window) * runtime::depthwise_weight_words(p.window);
    sums.add(BlockFeature::kPackedChannel, extent(part, 3) * words / 2);
  }
  const bool pixels = !in_place && !compact && runtime::is_depthwise_3x3(p.window);
  if (pixels && runtime::depthwise_by_pixels(
                    p.window, p.multiplier, p.scratch_bytes, part.end[1] - part.begin[1],
                    part.end[2] - part.begin[2], part.end[3] - part.begin[3]))
    return count_each_pixel(p.window, call, sums);
  const int32_t end = part.end[3], channels = end - part.begin[3];
  const auto groups = [&](int32_t each, double times) {
    const auto group = [&](int32_t some, double count) {
      if (some == 0 || count == 0) return;
      part.end[3] = part.begin[3] + some;
      const int32_t left = p.scratch_bytes - some * unpacked;
      BlockCounts({p.window, p.multiplier, left}, call, part, sums.times(count)).count();
    };
    group(each, times * (channels / each));
    group(channels % each, times);
  };
  const int32_t most = p.multiplier != 1 ? channels : std::min(std::max(4 * fours, 4), channels);
  if (!call.over_input || in_place || most == channels) return groups(most, 1);
  if (pixels) return count_each_pixel(p.window, call, sums);
  const int32_t strip = runtime::depthwise_scratch_bytes(p.window, channels, 1, p.window.kernel_h) +
                        channels * unpacked;
  if (strip <= p.scratch_bytes) return groups(channels, 1);
  const double each_pixel = thimble::pixels(part);
  for (int axis = 0; axis < 3; ++axis) part.end[axis] = part.begin[axis] + 1;
  groups(4, each_pixel);
}

// Planes of windows (depthwise_conv_2d_mve.cc), group of rows by group.
class PlaneCounts {
 public:
  PlaneCounts(const DepthwiseConv2DParams& p, const CallShape& call, FeatureSums sums)
      : p_(p),
        region_(call.region),
        sums_(sums),
        strips_(runtime::depthwise_strips(p, region_.end[2] - region_.begin[2])),
        ring_(call.out.modulus != 0),
        channels_(extent(region_, 3)) {
    const int32_t first = region_.begin[3] / p.multiplier;
    in_channels_ = (region_.end[3] - 1) / p.multiplier + 1 - first;
  }

  void count() {
    const double weights = runtime::depthwise_plane_weights(p_.window, strips_.planes);
    const double images = extent(region_, 0);
    sums_.add(PlaneFeature::kWeightPacked,
              std::ceil(channels_ / 8) * p_.window.kernel_h * p_.window.kernel_w);
    sums_.add(Feature::kCopied, channels_ * weights);
    const int32_t step = ring_ ? 1 : strips_.planes.rows;
    for (int32_t y = region_.begin[1]; y < region_.end[1]; y += step) {
      if (ring_) sums_.add(Feature::kRingPixel, images);
      const int32_t rows = ring_ ? 1 : std::min(strips_.planes.rows, region_.end[1] - y);
      for (int32_t x = region_.begin[2]; x < region_.end[2]; x += strips_.outputs)
        count_group(y, rows, x, images);
    }
  }

 private:
  void count_group(int32_t y, int32_t rows, int32_t x, double images) {
    const runtime::Window2D& w = p_.window;
    const int32_t outputs = std::min(strips_.outputs, region_.end[2] - x);
    const int32_t top = y * w.stride_h - w.pad_top, left = x * w.stride_w - w.pad_left;
    const int32_t bottom = top + (rows - 1) * w.stride_h + w.kernel_h;
    const int32_t columns = (outputs - 1) * w.stride_w + w.kernel_w;
    const double packed = std::max(0, std::min(bottom, w.in_h) - std::max(top, 0));
    const double inside = std::max(0, std::min(left + columns, w.in_w) - std::max(left, 0));
    const double eights = std::ceil(in_channels_ / 8.0);
    const double calls = images * (p_.multiplier == 1 ? 1 : in_channels_);
    sums_.add(PlaneFeature::kGroupRow, images);
    sums_.add(PlaneFeature::kPackedRow, images * packed);
    sums_.add(PlaneFeature::kPackedEight, images * packed * eights);
    sums_.add(PlaneFeature::kPackedColumn, images * packed * eights * inside);
    const bool whole = strips_.outputs == region_.end[2] - region_.begin[2];
    if (top < 0 || bottom > w.in_h || !whole || y == region_.begin[1])
      sums_.add(Feature::kCopied, images * in_channels_ * columns * strips_.planes.slots);
    if (rows > 1 && strips_.planes.vectors == 1 && strips_.planes.rows == 3) {
      sums_.add(PlaneFeature::kCall, calls);
      sums_.add(PlaneFeature::kChannel, images * channels_);
      sums_.add(PlaneFeature::kRowBlock, images * channels_ * outputs);
      return;
    }
    const double blocks = images * rows * channels_ * std::ceil(outputs / 4.0);
    sums_.add(PlaneFeature::kCall, calls * rows);
    sums_.add(PlaneFeature::kChannel, images * rows * channels_);
    sums_.add(PlaneFeature::kBlock, blocks);
    sums_.add(PlaneFeature::kVector, blocks * strips_.planes.vectors);
  }

  const DepthwiseConv2DParams& p_;
  const runtime::Region& region_;
  FeatureSums sums_;
  runtime::DepthwiseStrips strips_;
  bool ring_;  // its rows go one by one
  double channels_;
  int32_t in_channels_ = 1;
};

}  // namespace

void count(const runtime::DepthwiseConv2DPackedParams& p, const CallShape& call, FeatureSums sums) {
  count_blocks({p.window, p.multiplier, p.scratch_bytes}, call, sums);
}

void count(const DepthwiseConv2DParams& p, const CallShape& call, FeatureSums sums) {
  if (info(call.kernel).set == InstructionSet::kMve) return PlaneCounts(p, call, sums).count();
  if (info(call.kernel).set == InstructionSet::kDsp) {
    const KernelInfo& kernel = info(call.kernel);
    const int64_t budget =
        call.scratch_bytes ? *call.scratch_bytes
        : call.most ? kernel.scratch_within(p, *call.most, std::numeric_limits<int64_t>::max())
                    : kernel.scratch_bytes(p);
    return count_blocks({p.window, p.multiplier, static_cast<int32_t>(budget)}, call, sums);
  }
  const bool in_place = info(call.kernel).family == Family::kDepthwiseConv2DInPlace;
  const bool slice =
      extent(call.region, 3) == 1 && call.in[0].modulus == 0 && call.out.modulus == 0;
  if (in_place || slice) return count_planes(p, call, in_place, sums);
  count_pixels(p, call, sums);
}

}  // namespace thimble
