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

// Of windows with a row that the end of a ring cuts in two (find_wrap): the kernel goes tap by tap.
// all: of all windows.
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

}  // namespace

void count(const DepthwiseConv2DParams& p, const CallShape& call, FeatureSums sums) {
  const bool in_place = std::string_view(info(call.kernel).name).ends_with("_in_place");
  const bool slice =
      extent(call.region, 3) == 1 && call.in[0].modulus == 0 && call.out.modulus == 0;
  if (in_place || slice) return count_planes(p, call, in_place, sums);
  count_pixels(p, call, sums);
}

}  // namespace thimble
