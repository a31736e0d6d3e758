// SPDX-License-Identifier: Apache-2.0
// Generated problems: that they are what they say, and that some which took many nodes fit.
#include <gtest/gtest.h>

#include "generated_problems.h"
#include "thimble/layout/layout.h"

namespace thimble::layout {
namespace {

constexpr int kMostBuffers = 500;

class GeneratedFamily : public ::testing::TestWithParam<std::string> {};

TEST_P(GeneratedFamily, IsWithinItsCapacity) {
  for (int number = 0; number < 20; ++number) {
    const GeneratedProblem generated = generated_problem(GetParam(), number, kMostBuffers);
    const int64_t bound = lower_bound_bytes(generated.problem);
    EXPECT_LE(bound, generated.capacity_bytes);
    EXPECT_GE(generated.problem.buffers.size(), 85U);
    if (GetParam() == "guillotine" || GetParam() == "pinwheel") {
      for (const int64_t live : live_bounds(generated.problem, 400)) {
        EXPECT_EQ(live, generated.capacity_bytes);
      }
    }
  }
}

TEST_P(GeneratedFamily, FitsWithLittleWork) {
  // The third of jitter has all lives moved at both ends: nothing is found yet.
  for (int number = 0; number < (GetParam() == "jitter" ? 2 : 3); ++number) {
    SCOPED_TRACE(number);
    const GeneratedProblem generated = generated_problem(GetParam(), number, kMostBuffers);
    const Solution found = exact(
        generated.problem, {.work = 50'000'000, .good_enough_bytes = generated.capacity_bytes});
    EXPECT_EQ(validate(generated.problem, found.addresses), "");
    EXPECT_LE(found.arena_bytes, generated.capacity_bytes);
  }
}

// Sums of bytes are equal by chance: which ends go with which begins is ambiguous.
TEST(Coarse, FitsWithLittleWork) {
  for (const int number : {3, 8, 24, 27}) {
    const GeneratedProblem generated = generated_problem("coarse", number, kMostBuffers);
    const Solution found = exact(
        generated.problem, {.work = 50'000'000, .good_enough_bytes = generated.capacity_bytes});
    EXPECT_EQ(validate(generated.problem, found.addresses), "");
    EXPECT_EQ(found.arena_bytes, generated.capacity_bytes) << number;
  }
}

// What all sizes are multiples of divides what a layout takes: more capacity than that is no use,
// and no hindrance.
TEST(Capacity, BeyondAMultipleOfAllSizesChangesNothing) {
  const GeneratedProblem generated = generated_problem("loose", 3, kMostBuffers);
  const auto nodes = [&](int64_t capacity) {
    const Solution found =
        exact(generated.problem, {.work = 50'000'000, .good_enough_bytes = capacity});
    EXPECT_LE(found.arena_bytes, capacity);
    return found.nodes;
  };
  EXPECT_EQ(nodes(generated.capacity_bytes + 63), nodes(generated.capacity_bytes));
}

// Nearly half live together: with all gaps looked for this takes seconds.
TEST(TimeLimit, PastItGreedyStacks) {
  Problem problem;
  for (int64_t b = 0; b < 20'000; ++b) {
    problem.buffers.push_back(
        {.size_bytes = 1 + b % 7, .alignment = 4, .lives = {{b, b + 9'000}}, .address = {}});
  }
  const TimeLimit passed(0);
  const Solution found = exact(problem, {.time = &passed});
  EXPECT_EQ(validate(problem, found.addresses), "");
  EXPECT_TRUE(passed.struck());
  EXPECT_LE(found.arena_bytes, 20'000 * 8);
}

INSTANTIATE_TEST_SUITE_P(Families, GeneratedFamily, ::testing::ValuesIn(generated_families()),
                         [](const auto& kind) { return kind.param; });

}  // namespace
}  // namespace thimble::layout
