// SPDX-License-Identifier: Apache-2.0
// input_region on maps written by hand.
#include "thimble/regions/access_map.h"

#include <gtest/gtest.h>

#include "thimble/model/error.h"

namespace thimble {
namespace {

/// The interval that a map of one axis gives for [begin, end) of an output of 1000 elements.
Interval one_axis(const AxisMap& map, int64_t extent, Interval out) {
  return input_region({.axes = {map}}, {extent}, {1000}, {out}).at(0);
}

TEST(AccessMap, AffineWindowWithStride) {
  const Affine map{.num = 2, .lo = 0, .hi = 2};
  EXPECT_EQ(one_axis(map, 96, {10, 12}), (Interval{20, 25}));
}

TEST(AccessMap, AffineWindowIsCutAtThePadding) {
  const Affine map{.lo = -1, .hi = 1};
  EXPECT_EQ(one_axis(map, 8, {0, 1}), (Interval{0, 2}));
  EXPECT_EQ(one_axis(map, 8, {7, 8}), (Interval{6, 8}));
}

TEST(AccessMap, AffineWindowInThePaddingIsEmpty) {
  const Affine pad{.lo = -3, .hi = -3};
  EXPECT_TRUE(one_axis(pad, 4, {0, 3}).empty());
  EXPECT_TRUE(one_axis(pad, 4, {7, 9}).empty());
  EXPECT_EQ(one_axis(pad, 4, {2, 8}), (Interval{0, 4}));
}

TEST(AccessMap, AffineDivisionRoundsDown) {
  const Affine multiplier{.den = 3};
  EXPECT_EQ(one_axis(multiplier, 10, {2, 4}), (Interval{0, 2}));
  const Affine upsampling{.den = 2, .lo = -1, .hi = 1};
  EXPECT_EQ(one_axis(upsampling, 10, {0, 1}), (Interval{0, 1}));
  EXPECT_EQ(one_axis(upsampling, 10, {5, 6}), (Interval{2, 4}));
}

TEST(AccessMap, AffineRunsBackwards) {
  const Affine map{.num = -2, .lo = 9, .hi = 9};
  EXPECT_EQ(one_axis(map, 10, {0, 1}), (Interval{9, 10}));
  EXPECT_EQ(one_axis(map, 10, {1, 4}), (Interval{3, 8}));
}

TEST(AccessMap, PointTakesOneIndex) { EXPECT_EQ(one_axis(Point{6}, 10, {1, 4}), (Interval{6, 7})); }

TEST(AccessMap, GroupedTakesWholeGroups) {
  const Grouped map{.out_per_group = 2, .in_per_group = 3};
  EXPECT_EQ(one_axis(map, 12, {1, 2}), (Interval{0, 3}));
  EXPECT_EQ(one_axis(map, 12, {1, 3}), (Interval{0, 6}));
  EXPECT_EQ(one_axis(map, 12, {4, 8}), (Interval{6, 12}));
}

TEST(AccessMap, BroadcastReducedAndWholeTakeEverything) {
  EXPECT_EQ(one_axis(Broadcast{}, 1, {3, 4}), (Interval{0, 1}));
  EXPECT_EQ(one_axis(Reduced{}, 7, {3, 4}), (Interval{0, 7}));
  EXPECT_EQ(one_axis(Whole{}, 7, {3, 4}), (Interval{0, 7}));
}

TEST(AccessMap, ScanTakesThePast) { EXPECT_EQ(one_axis(Scan{}, 10, {3, 5}), (Interval{0, 5})); }

TEST(AccessMap, AxesFollowTheOnesTheyName) {
  const InputMap transposed{.axes = {Affine{1}, Affine{0}}};
  EXPECT_EQ(input_region(transposed, {5, 7}, {7, 5}, {{2, 4}, {0, 1}}), (Region{{0, 1}, {2, 4}}));
}

TEST(AccessMap, EmptyOutputNeedsNothing) {
  const InputMap map{.axes = {Reduced{}, Affine{0}}};
  EXPECT_TRUE(empty(input_region(map, {3, 5}, {5}, {{2, 2}})));
}

TEST(AccessMap, LinearWithinARow) {
  const InputMap linear{.axes = {}, .linear = true};
  EXPECT_EQ(input_region(linear, {2, 3, 4}, {24}, {{13, 15}}), (Region{{1, 2}, {0, 1}, {1, 3}}));
}

TEST(AccessMap, LinearAcrossRowsTakesWholeRows) {
  const InputMap linear{.axes = {}, .linear = true};
  EXPECT_EQ(input_region(linear, {2, 3, 4}, {24}, {{3, 5}}), (Region{{0, 1}, {0, 2}, {0, 4}}));
  EXPECT_EQ(input_region(linear, {2, 3, 4}, {24}, {{11, 13}}), (Region{{0, 2}, {0, 3}, {0, 4}}));
}

TEST(AccessMap, LinearBoxCoversTheIntervalOfItsCorners) {
  const InputMap linear{.axes = {}, .linear = true};
  // Columns 1 of rows 0 and 1 of a 4 x 6 output are elements 1 and 7 of the sequence.
  EXPECT_EQ(input_region(linear, {24}, {4, 6}, {{0, 2}, {1, 2}}), (Region{{1, 8}}));
}

TEST(AccessMap, LinearIntoAScalar) {
  const InputMap linear{.axes = {}, .linear = true};
  EXPECT_EQ(input_region(linear, {}, {1, 1}, {{0, 1}, {0, 1}}), Region{});
  EXPECT_EQ(input_region(linear, {1, 1}, {}, {}), (Region{{0, 1}, {0, 1}}));
}

TEST(AccessMap, RefusesAMapOfAnotherRank) {
  const InputMap map{.axes = {Affine{0}}};
  EXPECT_THROW(static_cast<void>(input_region(map, {3, 5}, {5}, {{0, 1}})), InternalError);
}

}  // namespace
}  // namespace thimble
