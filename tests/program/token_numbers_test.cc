// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/token_numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace thimble {
namespace {

using ::testing::ElementsAre;

Node step(TransferPart part, int32_t token) {
  Step step;
  step.transfer = part;
  step.token = {token};
  return {std::move(step)};
}
Node begin(int32_t token) { return step(TransferPart::kBegin, token); }
Node wait(int32_t token) { return step(TransferPart::kWait, token); }

std::vector<int> numbers(std::vector<Node> nodes, int count) {
  Schedule schedule;
  schedule.nodes = std::move(nodes);
  schedule.token_count = count;
  const TokenNumbers found = token_numbers(schedule);
  std::vector<int> result{found.count};
  for (const TokenId token : found.of) result.push_back(token.value);
  return result;
}

// First how many there are, then each token's.
TEST(TokenNumbers, AreThoseOfWhatWasWaitedFor) {
  EXPECT_THAT(numbers({begin(0), begin(1), wait(0), begin(2), wait(1), wait(2)}, 3),
              ElementsAre(2, 0, 1, 0));
  EXPECT_THAT(numbers({begin(0), wait(0), begin(1), wait(1)}, 2), ElementsAre(1, 0, 0));
  EXPECT_THAT(numbers({}, 0), ElementsAre(0));
}

TEST(TokenNumbers, StayForTheLoopThatATransferGoesOnIn) {
  // 0 from one iteration to the next; 1 and 2 within each.
  const Node ring{Loop{{0}, 4, {wait(0), begin(1), wait(1), begin(2), wait(2), begin(0)}}};
  EXPECT_THAT(numbers({begin(0), ring, wait(0), begin(3), wait(3)}, 4), ElementsAre(2, 0, 1, 1, 0));
  // Around a loop within.
  const Node outer{Loop{{1}, 2, {begin(0), ring, wait(0)}}};
  EXPECT_THAT(numbers({outer}, 3), ElementsAre(2, 0, 1, 1));
  // Begun in an iteration of an outer loop, waited for in the next one.
  const Node later{Loop{{0}, 2, {begin(1), wait(1), wait(0), begin(0), begin(2), wait(2)}}};
  EXPECT_THAT(numbers({begin(0), later, wait(0)}, 3), ElementsAre(2, 0, 1, 1));
}

}  // namespace
}  // namespace thimble
