// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/tensor_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace thimble {
namespace {

Bytes floats(const std::vector<float>& values) {
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::string compared(const std::vector<float>& expected, const std::vector<float>& actual,
                     double tolerance) {
  return first_difference(floats(expected), floats(actual), DType::kFloat32,
                          {static_cast<int64_t>(expected.size())}, tolerance);
}

TEST(FirstDifference, IsEmptyForEqualBytes) {
  EXPECT_EQ(first_difference({1, 2}, {1, 2}, DType::kInt8, {2}), "");
}

TEST(FirstDifference, NamesTheElement) {
  const Bytes expected = {0, 0, 0, 0, 0xfd, 0xff, 0, 0};
  const Bytes actual = {0, 0, 0, 0, 0xfd, 0x00, 1, 1};
  EXPECT_EQ(first_difference(expected, actual, DType::kInt16, {2, 2}),
            "element [1,0] (number 2): expected -3, got 253; 2 of 4 differ");
}

TEST(FirstDifference, NamesTheSizes) {
  EXPECT_EQ(first_difference({1}, {1, 2}, DType::kInt8, {1}), "expected 1 bytes, got 2");
}

TEST(FirstDifference, OfNumbersHasAllTheirDigits) {
  EXPECT_EQ(compared({1, 0.00779174F}, {1, 0.007791741F}, 0),
            "element [1] (number 1): expected 0.00779174, got 0.007791741; 1 of 2 differ");
}

TEST(FirstDifference, ToleratesAShareOfWhatIsExpected) {
  EXPECT_EQ(compared({-1000}, {-1000.009F}, kFloatTolerance), "");
  EXPECT_NE(compared({-1000}, {-1000.011F}, kFloatTolerance), "");
  EXPECT_NE(compared({0}, {1e-30F}, kFloatTolerance), "");
  EXPECT_EQ(compared({0}, {-0.0F}, kFloatTolerance), "");
  EXPECT_NE(compared({0}, {-0.0F}, 0), "");
}

TEST(FirstDifference, KnowsInfinitiesAndNaNs) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float nan = std::nanf("");
  EXPECT_EQ(compared({nan, kInfinity}, {-nan, kInfinity}, 0), "");
  EXPECT_NE(compared({kInfinity}, {1}, kFloatTolerance), "");
  EXPECT_NE(compared({1}, {kInfinity}, kFloatTolerance), "");
  EXPECT_NE(compared({kInfinity}, {-kInfinity}, kFloatTolerance), "");
  EXPECT_NE(compared({1}, {nan}, kFloatTolerance), "");
  EXPECT_NE(compared({nan}, {1}, kFloatTolerance), "");
}

}  // namespace
}  // namespace thimble
