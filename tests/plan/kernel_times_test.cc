// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/kernel_times.h"

#include <gtest/gtest.h>

namespace thimble {
namespace {

const KernelTimes kThree = {{{}, 0, 100}, {{}, 10, 60}, {{}, 50, 40}}, kOne = {{{}, 8, 30}};

std::vector<std::pair<int64_t, double>> pairs(const PieceTimes& times) {
  std::vector<std::pair<int64_t, double>> result;
  for (const PieceTime& time : times) result.emplace_back(time.live_bytes, time.instructions);
  return result;
}
using Pairs = std::vector<std::pair<int64_t, double>>;

TEST(KernelTimes, TheFastestWithinIsTheLastThatFits) {
  EXPECT_EQ(fastest_within(kThree, 0).instructions, 100);
  EXPECT_EQ(fastest_within(kThree, 49).instructions, 60);
  EXPECT_EQ(fastest_within(kThree, 50).instructions, 40);
  EXPECT_EQ(fastest_within(kOne, 0).instructions, 30) << "nothing has less";
}

// One call with 200 bytes beside it, one with 195 and 8 of scratch that it cannot do without: 203
// bytes in any case, with which the first has none for its scratch.
TEST(PieceTimes, AreOfEachAmountThatMakesSomethingFaster) {
  EXPECT_EQ(pairs(piece_times({&kThree, &kOne}, {200, 195})),
            (Pairs{{203, 130}, {210, 90}, {250, 70}}));
  EXPECT_EQ(pairs(piece_times({&kThree, &kOne}, {200, 230})), (Pairs{{238, 90}, {250, 70}}))
      << "where the second has its peak the first has room";
  EXPECT_EQ(pairs(piece_times({&kThree, &kThree}, {0, 0})), (Pairs{{0, 200}, {10, 120}, {50, 80}}));
}

TEST(PieceTimes, AddUp) {
  const PieceTimes first = {{203, 130}, {210, 90}}, second = {{100, 50}, {205, 20}};
  EXPECT_EQ(pairs(piece_times({&first, &second})), (Pairs{{203, 180}, {205, 150}, {210, 110}}));
}

}  // namespace
}  // namespace thimble
