// SPDX-License-Identifier: Apache-2.0
// The lower bound on problems whose least arena is plain to see.
#include <gtest/gtest.h>

#include "thimble/layout/layout.h"

namespace thimble::layout {
namespace {

Buffer buffer(int64_t size, int64_t begin, int64_t end, int64_t alignment = 1) {
  return {.size_bytes = size, .alignment = alignment, .lives = {{begin, end}}, .address = {}};
}

TEST(LowerBound, IsTheLargestSumOverTime) {
  EXPECT_EQ(lower_bound_bytes(
                {.buffers = {buffer(4, 0, 2), buffer(5, 1, 3), buffer(6, 2, 4)}, .overlaps = {}}),
            11);
}

TEST(LowerBound, PadsAllButTheTopmost) {
  EXPECT_EQ(
      lower_bound_bytes({.buffers = {buffer(5, 0, 2, 4), buffer(6, 1, 3, 4)}, .overlaps = {}}), 13);
}

TEST(LowerBound, FillsPaddingWithUnalignedBuffers) {
  EXPECT_EQ(lower_bound_bytes({.buffers = {buffer(5, 0, 2, 8), buffer(3, 0, 2), buffer(8, 0, 2, 8)},
                               .overlaps = {}}),
            16);
}

TEST(LowerBound, SharesElementwiseInputAndOutput) {
  const Problem problem{.buffers = {buffer(100, 0, 2), buffer(100, 1, 3)},
                        .overlaps = {{.out = 1, .in = 0, .lead_bytes = 0, .same_address = false}}};
  EXPECT_EQ(lower_bound_bytes(problem), 100);
}

TEST(LowerBound, AddsTheLead) {
  const Problem problem{.buffers = {buffer(100, 0, 2), buffer(100, 1, 3)},
                        .overlaps = {{.out = 1, .in = 0, .lead_bytes = 7, .same_address = false}}};
  EXPECT_EQ(lower_bound_bytes(problem), 107);
}

TEST(LowerBound, LetsASmallerOutputHideInTheInput) {
  const Problem problem{.buffers = {buffer(100, 0, 2), buffer(40, 1, 3)},
                        .overlaps = {{.out = 1, .in = 0, .lead_bytes = 7, .same_address = false}}};
  EXPECT_EQ(lower_bound_bytes(problem), 107);  // the input must stand 7 bytes higher
}

TEST(LowerBound, LetsASmallerInputHideInTheOutput) {
  const Problem problem{.buffers = {buffer(40, 0, 2), buffer(100, 1, 3)},
                        .overlaps = {{.out = 1, .in = 0, .lead_bytes = 60, .same_address = false}}};
  EXPECT_EQ(lower_bound_bytes(problem), 100);
}

TEST(LowerBound, CountsTwoDisjointOutputsInOneInput) {
  const Problem problem{.buffers = {buffer(10, 0, 2), buffer(8, 1, 3), buffer(8, 1, 3)},
                        .overlaps = {{.out = 1, .in = 0, .lead_bytes = 0, .same_address = false},
                                     {.out = 2, .in = 0, .lead_bytes = 0, .same_address = false}}};
  EXPECT_EQ(lower_bound_bytes(problem), 16);
}

TEST(LowerBound, CountsAFixedAddress) {
  Problem problem{.buffers = {buffer(10, 0, 2)}, .overlaps = {}};
  problem.buffers[0].address = 30;
  EXPECT_EQ(lower_bound_bytes(problem), 40);
}

}  // namespace
}  // namespace thimble::layout
