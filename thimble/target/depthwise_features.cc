// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions (runtime/portable/depthwise_conv_2d.cc, depthwise_plane.h).
#include <algorithm>

#include "thimble/target/feature_sums.h"

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

void count_pixels(const DepthwiseConv2DParams& p, const CallShape& call, FeatureSums sums) {
  const runtime::Region& region = call.region;
  const Window2D& w = p.window;
  const double images = extent(region, 0), count = pixels(region);
  const TapSums y = row_taps(w, region), x = column_taps(w, region);
  const double taps = images * y.inside * x.inside;
  const double runs = images * y.inside * x.some_inside;
  const double clipped = count - images * y.full * x.full;
  const double padding = count * w.kernel_h * w.kernel_w - taps;
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

}  // namespace

void count(const DepthwiseConv2DParams& p, const CallShape& call, FeatureSums sums) {
  const bool in_place = std::string_view(info(call.kernel).name).ends_with("_in_place");
  const bool slice =
      extent(call.region, 3) == 1 && call.in[0].modulus == 0 && call.out.modulus == 0;
  if (in_place || slice) return count_planes(p, call, in_place, sums);
  count_pixels(p, call, sums);
}

}  // namespace thimble
