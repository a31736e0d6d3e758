// SPDX-License-Identifier: Apache-2.0
// What validate accepts and the first fault it names.
#include <gtest/gtest.h>

#include "thimble/layout/layout.h"

namespace thimble::layout {
namespace {

Buffer buffer(int64_t size, int64_t begin, int64_t end) {
  return {.size_bytes = size, .alignment = 1, .lives = {{begin, end}}, .address = {}};
}

TEST(Validate, AcceptsTouchingBuffers) {
  const Problem problem{.buffers = {buffer(4, 0, 9), buffer(4, 0, 9)}, .overlaps = {}};
  EXPECT_EQ(validate(problem, {4, 0}), "");
}

TEST(Validate, NamesBothBuffersAndTheStep) {
  const Problem problem{.buffers = {buffer(4, 0, 9), buffer(4, 7, 12)}, .overlaps = {}};
  EXPECT_EQ(validate(problem, {0, 3}), "buffers 0 and 1 overlap at step 7");
}

TEST(Validate, AcceptsTheSameBytesOneAfterTheOther) {
  const Problem problem{.buffers = {buffer(4, 0, 7), buffer(4, 7, 12)}, .overlaps = {}};
  EXPECT_EQ(validate(problem, {0, 0}), "");
}

TEST(Validate, AcceptsTheGapOfASpilledBuffer) {
  Problem problem{.buffers = {buffer(4, 0, 3), buffer(4, 3, 6)}, .overlaps = {}};
  problem.buffers[0].lives.push_back({6, 9});
  EXPECT_EQ(validate(problem, {0, 0}), "");
  problem.buffers[1].lives[0].end = 7;
  EXPECT_EQ(validate(problem, {0, 0}), "buffers 0 and 1 overlap at step 6");
}

TEST(Validate, ChecksAddressesThemselves) {
  Problem problem{.buffers = {buffer(4, 0, 9)}, .overlaps = {}};
  problem.buffers[0].alignment = 4;
  EXPECT_EQ(validate(problem, {}), "0 addresses for 1 buffers");
  EXPECT_EQ(validate(problem, {-4}), "buffer 0 is at the negative address -4");
  EXPECT_EQ(validate(problem, {6}), "buffer 0 at 6 is not aligned to 4");
  problem.buffers[0].address = 8;
  EXPECT_EQ(validate(problem, {4}), "buffer 0 is at 4, not at its fixed address 8");
  EXPECT_EQ(validate(problem, {8}), "");
}

TEST(Validate, AppliesTheLead) {
  Problem problem{.buffers = {buffer(8, 0, 2), buffer(8, 1, 3)}, .overlaps = {}};
  problem.overlaps = {{.out = 1, .in = 0, .lead_bytes = 2, .same_address = false}};
  EXPECT_EQ(validate(problem, {2, 0}), "");
  EXPECT_EQ(validate(problem, {7, 0}), "");
  EXPECT_EQ(validate(problem, {1, 0}), "buffers 0 and 1 overlap at step 1");
  EXPECT_EQ(validate(problem, {0, 2}), "buffers 0 and 1 overlap at step 1");
  EXPECT_EQ(validate(problem, {0, 8}), "");
}

TEST(Validate, AppliesANegativeLead) {
  Problem problem{.buffers = {buffer(8, 0, 2), buffer(4, 1, 3)}, .overlaps = {}};
  problem.overlaps = {{.out = 1, .in = 0, .lead_bytes = -3, .same_address = false}};
  EXPECT_EQ(validate(problem, {0, 3}), "");
  EXPECT_EQ(validate(problem, {0, 4}), "buffers 0 and 1 overlap at step 1");
}

TEST(Validate, AppliesTheSameAddress) {
  Problem problem{.buffers = {buffer(8, 0, 2), buffer(4, 1, 3)}, .overlaps = {}};
  problem.overlaps = {{.out = 1, .in = 0, .lead_bytes = {}, .same_address = true}};
  EXPECT_EQ(validate(problem, {5, 5}), "");
  EXPECT_EQ(validate(problem, {5, 6}), "buffers 0 and 1 overlap at step 1");
}

}  // namespace
}  // namespace thimble::layout
