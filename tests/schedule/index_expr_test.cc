// SPDX-License-Identifier: Apache-2.0
#include "thimble/schedule/index_expr.h"

#include <gtest/gtest.h>

#include "thimble/schedule/expr_text.h"

namespace thimble {
namespace {

constexpr LoopId kI{0}, kJ{1};

TEST(IndexExpr, RoundsDown) {
  const IndexExpr half{.base = -3, .terms = {{kI, 1}}, .divisor = 2};
  const std::vector<int64_t> expected{-2, -1, -1, 0, 0, 1};
  for (int64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(evaluate(half, {i}), expected[static_cast<size_t>(i)]) << i;
  }
}

TEST(IndexExpr, FollowsSeveralLoops) {
  const IndexExpr tile{.base = -1, .terms = {{kI, 8}, {kJ, 2}}, .divisor = 1};
  EXPECT_EQ(evaluate(tile, {3, 2}), 27);
  EXPECT_TRUE(index(kI, 0, 5).constant());
}

TEST(IndexExpr, ComposesLikeTheMapsItStandsFor) {
  const IndexExpr inner{.base = 1, .terms = {{kI, 3}}, .divisor = 1};
  const IndexExpr halved{.base = 1, .terms = {{kI, 3}}, .divisor = 2};
  for (int64_t i = -7; i < 8; ++i) {
    EXPECT_EQ(evaluate(compose(inner, 2, -1, 3).value(), {i}),
              evaluate(IndexExpr{2 * (3 * i + 1) - 1, {}, 3}, {}));
    // floor((floor((3 i + 1) / 2) + 5) / 4)
    EXPECT_EQ(evaluate(compose(halved, 1, 5, 4).value(), {i}),
              evaluate(IndexExpr{evaluate(halved, {i}) + 5, {}, 4}, {}));
  }
  EXPECT_FALSE(compose(halved, 2, 0, 1).has_value()) << "2 floor(e / 2) has no such form";
}

TEST(IndexExpr, AddsAfterTheDivision) {
  const IndexExpr halved{.base = 1, .terms = {{kI, 1}}, .divisor = 2};
  EXPECT_EQ(evaluate(halved + 4, {3}), 6);
}

TEST(IndexExpr, RegionsAreCutToTheExtents) {
  const RegionExpr rows{{index(kI, 2, -2), index(kI, 2)}, {index(0), index(5)}};
  EXPECT_EQ(evaluate(rows, {0}, {5, 4}), (Region{{0, 0}, {0, 4}}));
  EXPECT_EQ(evaluate(rows, {3}, {5, 4}), (Region{{4, 5}, {0, 4}}));
  EXPECT_TRUE(empty(evaluate(rows, {9}, {5, 4})));
}

TEST(IndexExpr, Text) {
  EXPECT_EQ(to_string(index(kI, -2, 1)), "-2 * i0 + 1");
  EXPECT_EQ(to_string(IndexExpr{.base = -1, .terms = {{kI, 1}, {kJ, -3}}, .divisor = 2}),
            "floor_div(i0 - 3 * i1 - 1, 2)");
  EXPECT_EQ(to_string(index(-4)), "-4");
}

}  // namespace
}  // namespace thimble
