// SPDX-License-Identifier: Apache-2.0
#include "thimble/quantise/scales.h"

#include <gtest/gtest.h>

#include <cmath>

namespace thimble {
namespace {

TEST(Scales, OfARangeHaveTheZeroAmongTheirSteps) {
  EXPECT_EQ(int8_scale({0, 255}), one_scale(1, -128));
  EXPECT_EQ(int8_scale({-128, 127}), one_scale(1, 0));
  EXPECT_EQ(int8_scale({51, 255}), one_scale(1, -128));
  EXPECT_EQ(int8_scale({-255, -1}), one_scale(1, 127));
  EXPECT_EQ(int8_scale({0, 0}), one_scale(1, 0));
  EXPECT_EQ(int8_scale({}), one_scale(1, 0));
}

TEST(Ranges, KnowWhatIsNoFiniteNumber) {
  EXPECT_EQ(range_of({1, -2, 0.5F}), (Range{-2, 1}));
  EXPECT_TRUE(range_of({1, -2}).is_finite());
  EXPECT_TRUE(Range().is_finite());
  EXPECT_FALSE(range_of({1, NAN}).is_finite());
  EXPECT_FALSE(range_of({-INFINITY}).is_finite());
}

}  // namespace
}  // namespace thimble
