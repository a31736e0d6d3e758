// SPDX-License-Identifier: Apache-2.0
// Arithmetic on half-open boxes.
#include "thimble/regions/region.h"

#include <gtest/gtest.h>

#include "thimble/model/error.h"

namespace thimble {
namespace {

TEST(Region, WholeCoversTheShape) {
  EXPECT_EQ(whole({2, 3}), (Region{{0, 2}, {0, 3}}));
  EXPECT_EQ(elements(whole({2, 3})), 6);
}

TEST(Region, ScalarHoldsOneElement) {
  EXPECT_EQ(elements(Region{}), 1);
  EXPECT_FALSE(empty(Region{}));
}

TEST(Region, BackwardIntervalIsEmpty) {
  EXPECT_TRUE(empty(Region{{0, 2}, {3, 1}}));
  EXPECT_EQ(elements(Region{{0, 2}, {3, 1}}), 0);
}

TEST(Region, ContainsComparesEachAxis) {
  const Region outer{{1, 5}, {2, 6}};
  EXPECT_TRUE(contains(outer, {{1, 5}, {2, 6}}));
  EXPECT_TRUE(contains(outer, {{2, 3}, {5, 6}}));
  EXPECT_FALSE(contains(outer, {{0, 3}, {5, 6}}));
  EXPECT_FALSE(contains(outer, {{2, 3}, {5, 7}}));
}

TEST(Region, EverythingContainsAnEmptyRegion) {
  EXPECT_TRUE(contains({{1, 2}}, {{7, 7}}));
  EXPECT_FALSE(contains({{7, 7}}, {{1, 2}}));
}

TEST(Region, IntersectsPerAxis) {
  EXPECT_EQ(intersect({{0, 4}, {2, 9}}, {{3, 6}, {0, 5}}), (Region{{3, 4}, {2, 5}}));
}

TEST(Region, DisjointIntersectionIsEmpty) {
  EXPECT_TRUE(empty(intersect({{0, 4}}, {{4, 6}})));
  EXPECT_EQ(elements(intersect({{0, 4}}, {{6, 9}})), 0);
}

TEST(Region, ClipsToTheShape) {
  EXPECT_EQ(clip({{-2, 3}, {4, 9}}, {5, 6}), (Region{{0, 3}, {4, 6}}));
  EXPECT_TRUE(empty(clip({{7, 9}}, {5})));
}

TEST(Region, HullIsTheSmallestBoxAroundBoth) {
  EXPECT_EQ(hull({{0, 2}, {5, 6}}, {{4, 5}, {1, 2}}), (Region{{0, 5}, {1, 6}}));
}

TEST(Region, EmptyAddsNothingToAHull) {
  EXPECT_EQ(hull({{9, 9}}, {{4, 5}}), (Region{{4, 5}}));
  EXPECT_EQ(hull({{4, 5}}, {{9, 9}}), (Region{{4, 5}}));
}

TEST(Region, RefusesDifferentRanks) {
  EXPECT_THROW(static_cast<void>(hull({{0, 1}}, {{0, 1}, {0, 1}})), InternalError);
}

TEST(Region, PrintsHalfOpenIntervals) {
  EXPECT_EQ(to_string(Region{{0, 1}, {4, 8}}), "[0,1) [4,8)");
}

}  // namespace
}  // namespace thimble
