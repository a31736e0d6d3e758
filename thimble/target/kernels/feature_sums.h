// SPDX-License-Identifier: Apache-2.0
// Sums over a call's region that several kernels' features are made of.
#pragma once

#include "runtime/portable/window.h"
#include "thimble/target/kernels/feature.h"

namespace thimble {

/// Adds up features. Kernels of one type of parameters walk alike.
class FeatureSums {
 public:
  explicit FeatureSums(Features& features, double times = 1) : features_(features), times_(times) {}
  void add(Feature feature, double count) {
    features_[static_cast<size_t>(feature)] += times_ * count;
  }
  /// All that is added there counts so many times.
  [[nodiscard]] FeatureSums times(double count) const { return FeatureSums(features_, count); }

 private:
  Features& features_;
  double times_;
};

[[nodiscard]] inline double extent(const runtime::Region& region, int axis) {
  return region.end[axis] - region.begin[axis];
}
[[nodiscard]] inline double pixels(const runtime::Region& region) {
  return extent(region, 0) * extent(region, 1) * extent(region, 2);
}
[[nodiscard]] inline double rows(const runtime::Region& region) {
  return extent(region, 0) * extent(region, 1);
}

/// A window's taps along one axis, over outputs.
struct TapSums {
  double outputs = 0;
  double inside = 0;       ///< taps
  double full = 0;         ///< outputs without padding
  double runs = 0;         ///< stretches of taps that are all inside or all outside
  double some_inside = 0;  ///< outputs with a tap inside
};
[[nodiscard]] TapSums row_taps(const runtime::Window2D& window, const runtime::Region& region);
[[nodiscard]] TapSums column_taps(const runtime::Window2D& window, const runtime::Region& region);

/// Where channel 0 of a pixel lies in a ring.
[[nodiscard]] inline int32_t ring_index(const runtime::View& view, int32_t n, int32_t y,
                                        int32_t x) {
  return (n * view.stride[0] + y * view.stride[1] + x * view.stride[2] - view.bias) % view.modulus;
}

/// Columns of each of a tile's rows that a view is asked for, of an image of `extent`.
struct TileColumns {
  int32_t begin, count;
  int32_t advance;  ///< from a tile to the next
  int32_t extent;
};
[[nodiscard]] TileColumns read_columns(const runtime::Window2D& window, const CallShape& call);
[[nodiscard]] TileColumns written_columns(const runtime::Window2D& window, const CallShape& call);

/// Whether an image lies column by column.
[[nodiscard]] inline bool columns_outermost(const runtime::View& view) {
  return view.stride[2] > view.stride[1];
}

/// The share of the rows of all tiles like this one that the end of a ring falls into: none where
/// it holds whole rows.
[[nodiscard]] double cut_rows(const runtime::View& view, const TileColumns& columns);
/// The share of pieces of so many rows that the end of a ring of rows falls into, between two.
[[nodiscard]] double cut_pieces(const runtime::View& view, double rows);

/// Output channels in quads and singles, as kernels take them.
struct Channels {
  double quads = 0, singles = 0;
};
[[nodiscard]] Channels in_quads(int32_t channels);

/// Transposed convolutions of int8 by instruction sets (words_features.cc).
void count_in_fours(const runtime::UnfoldedConv2DParams& p, const CallShape& call,
                    FeatureSums sums);
void count(const runtime::Conv2DParams& p, const CallShape& call, FeatureSums sums);
void count(const runtime::Conv2DPairsParams& p, const CallShape& call, FeatureSums sums);
void count(const runtime::Conv2DFoursParams& p, const CallShape& call, FeatureSums sums);
void count(const runtime::Conv2DWordsParams& p, const CallShape& call, FeatureSums sums);
void count(const runtime::Conv2DNarrowParams& p, const CallShape& call, FeatureSums sums);
void count(const runtime::DepthwiseConv2DParams& p, const CallShape& call, FeatureSums sums);
void count(const runtime::DepthwiseConv2DPackedParams& p, const CallShape& call, FeatureSums sums);

}  // namespace thimble
