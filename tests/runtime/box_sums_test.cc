// SPDX-License-Identifier: Apache-2.0
#include "runtime/dsp/box_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace thimble::runtime {
namespace {

using ::testing::Each;

// Sums of more pixels than 16 bits hold, rows with something between them.
TEST(BoxSums, HoldTheSumsOfManyPixels) {
  for (const int32_t columns : {1, 255, 256, 257, 700}) {
    for (const int8_t value : {-128, 127}) {
      constexpr int32_t kRows = 3, kStep = 9, kBetween = 5;
      const std::vector<int8_t> values(
          static_cast<size_t>(kRows * (columns * kStep + kBetween) + 8), value);
      int32_t sums[8];
      sum_eight_in_halves({values.data(), kRows, columns, kBetween, kStep}, sums);
      EXPECT_THAT(sums, Each(kRows * columns * value)) << columns;
    }
  }
}

TEST(BoxSums, KeepChannelsApart) {
  const std::vector<int8_t> values = {1,  -2, 3,  -4, 5,  -6, 7,  -8, 99,
                                      10, 20, 30, 40, 50, 60, 70, 80};
  int32_t sums[8];
  sum_eight_in_halves({values.data(), 1, 2, 0, 9}, sums);
  EXPECT_THAT(sums, ::testing::ElementsAre(11, 18, 33, 36, 55, 54, 77, 72));
}

}  // namespace
}  // namespace thimble::runtime
