// SPDX-License-Identifier: Apache-2.0
// Literal problems for the two methods, and their limits.
#include <gtest/gtest.h>

#include <random>

#include "thimble/layout/layout.h"
#include "thimble/model/error.h"

namespace thimble::layout {
namespace {

Buffer buffer(int64_t size, int64_t begin, int64_t end, int64_t alignment = 1) {
  return {.size_bytes = size, .alignment = alignment, .lives = {{begin, end}}, .address = {}};
}

/// Solves, checks the layout, and gives the arena of a proven optimum.
int64_t least_arena(const Problem& problem) {
  const Solution solution = exact(problem, {});
  EXPECT_EQ(validate(problem, solution.addresses), "");
  EXPECT_TRUE(solution.proven_optimal);
  EXPECT_EQ(solution.lower_bound_bytes, solution.arena_bytes);
  return solution.arena_bytes;
}

TEST(GreedyBySize, PutsTheLargestAtTheBottom) {
  const Problem problem{.buffers = {buffer(4, 0, 2), buffer(9, 0, 3), buffer(5, 2, 4)},
                        .overlaps = {}};
  const Solution solution = greedy_by_size(problem);
  EXPECT_EQ(solution.addresses, (std::vector<int64_t>{9, 0, 9}));
  EXPECT_EQ(solution.arena_bytes, 14);
  EXPECT_TRUE(solution.proven_optimal);
}

TEST(GreedyBySize, UsesTheLowestGapThatFits) {
  const Problem problem{
      .buffers = {buffer(9, 0, 2), buffer(8, 1, 4), buffer(7, 3, 6), buffer(4, 3, 4)},
      .overlaps = {}};
  EXPECT_EQ(greedy_by_size(problem).addresses, (std::vector<int64_t>{0, 9, 0, 17}));
}

TEST(GreedyBySize, KnowsNoOverlaps) {
  const Problem problem{.buffers = {buffer(4, 0, 2), buffer(4, 1, 3)},
                        .overlaps = {{.out = 1, .in = 0, .lead_bytes = 0, .same_address = false}}};
  EXPECT_EQ(greedy_by_size(problem).arena_bytes, 8);
}

TEST(Exact, PlacesTheExampleOfTheHeader) {
  const Problem problem{.buffers = {buffer(4, 0, 3), buffer(4, 3, 9), buffer(4, 0, 9),
                                    buffer(4, 9, 21), buffer(4, 0, 21)},
                        .overlaps = {}};
  EXPECT_EQ(least_arena(problem), 12);
}

TEST(Exact, PlacesNothing) { EXPECT_EQ(least_arena({}), 0); }

TEST(Exact, PlacesBuffersWithoutBytesOrLife) {
  Problem problem{.buffers = {buffer(0, 0, 2), buffer(8, 0, 2), buffer(8, 0, 1)}, .overlaps = {}};
  problem.buffers[2].lives.clear();
  EXPECT_EQ(least_arena(problem), 8);
}

TEST(Exact, BeatsGreedyBySize) {
  const Problem problem{.buffers = {buffer(5, 0, 1), buffer(5, 0, 3), buffer(3, 4, 6),
                                    buffer(3, 2, 6), buffer(3, 2, 5)},
                        .overlaps = {}};
  EXPECT_EQ(greedy_by_size(problem).arena_bytes, 16);
  EXPECT_EQ(least_arena(problem), 11);
}

TEST(Exact, ProvesThatTheBoundCannotBeMet) {
  const Problem problem{
      .buffers = {buffer(4, 0, 1), buffer(1, 3, 7), buffer(2, 0, 3), buffer(2, 1, 4),
                  buffer(2, 2, 6), buffer(3, 4, 8), buffer(3, 7, 8)},
      .overlaps = {}};
  EXPECT_EQ(lower_bound_bytes(problem), 6);
  EXPECT_EQ(least_arena(problem), 7);
}

TEST(Exact, ReusesTheGapOfASpilledBuffer) {
  Problem problem{.buffers = {buffer(8, 0, 2), buffer(8, 2, 4)}, .overlaps = {}};
  problem.buffers[0].lives.push_back({4, 6});
  EXPECT_EQ(least_arena(problem), 8);
}

TEST(Exact, KeepsFixedAddresses) {
  Problem problem{.buffers = {buffer(4, 0, 4), buffer(6, 0, 4), buffer(3, 0, 4)}, .overlaps = {}};
  problem.buffers[0].address = 5;
  EXPECT_EQ(least_arena(problem), 15);
}

// The lower buffer must stand where the upper one can reach into it.
TEST(Exact, LiftsTheInputForANegativeLead) {
  Problem problem{.buffers = {buffer(8, 0, 2), buffer(6, 1, 3), buffer(5, 1, 4)},
                  .overlaps = {{.out = 1, .in = 0, .lead_bytes = -2, .same_address = false}}};
  problem.buffers[2].address = 0;
  EXPECT_EQ(least_arena(problem), 13);
}

TEST(Exact, ChainsElementwiseOperatorsAtOneAddress) {
  Problem problem;
  for (int i = 0; i < 50; ++i) {
    problem.buffers.push_back(buffer(1000, i, i + 2, 16));
    if (i > 0) {
      problem.overlaps.push_back({.out = i, .in = i - 1, .lead_bytes = {}, .same_address = true});
    }
  }
  EXPECT_EQ(least_arena(problem), 1000);
}

TEST(Exact, SolvesALongChainWithLittleWork) {
  Problem problem;
  for (int i = 0; i < 300; ++i) {
    problem.buffers.push_back(buffer(1000 + (i * 7919) % 5000, i, i + 2 + (i % 3 == 0), 16));
  }
  least_arena(problem);
  EXPECT_TRUE(exact(problem, {.work = 100'000}).proven_optimal);
}

TEST(Exact, StopsAtGoodEnough) {
  const Problem problem{.buffers = {buffer(6, 0, 2), buffer(5, 1, 4), buffer(7, 3, 6),
                                    buffer(4, 5, 8), buffer(5, 0, 1), buffer(4, 2, 3)},
                        .overlaps = {}};
  const Solution solution = exact(problem, {.good_enough_bytes = 1000});
  EXPECT_EQ(solution.nodes, 0);
  EXPECT_EQ(validate(problem, solution.addresses), "");
}

TEST(Exact, GivesALayoutWithoutWork) {
  const Problem problem{.buffers = {buffer(6, 0, 2), buffer(5, 1, 4), buffer(7, 3, 6)},
                        .overlaps = {}};
  const Solution solution = exact(problem, {.work = 0, .good_enough_bytes = {}});
  EXPECT_EQ(validate(problem, solution.addresses), "");
  EXPECT_LE(solution.arena_bytes, greedy_by_size(problem).arena_bytes);
}

/// No order of placement that comes to mind meets its bound.
Problem hard_problem() {
  std::mt19937 random(3);
  const auto draw = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random()) % (high - low + 1);
  };
  Problem problem;
  for (int i = 0; i < 150; ++i) {
    const int64_t begin = draw(0, 60);
    problem.buffers.push_back(buffer(draw(1, 1000), begin, begin + draw(1, 20)));
  }
  return problem;
}

// Searches count what they look at, not the time: the same answer on every machine.
TEST(Exact, IsTheSameEachTime) {
  const Solution solution = exact(hard_problem(), {.work = 200'000});
  EXPECT_GT(solution.nodes, 100);
  EXPECT_EQ(solution, exact(hard_problem(), {.work = 200'000}));
}

// Nine million pairs: a list of their conflicts alone would take half a gigabyte.
TEST(Exact, LaysOutThousandsOfBuffersThatLiveTogether) {
  Problem problem;
  for (int i = 0; i < 3000; ++i) problem.buffers.push_back(buffer(64, i, 3000));
  EXPECT_EQ(least_arena(problem), 3000 * 64);
}

TEST(Exact, StopsWhenTheTimeIsOver) {
  const TimeLimit over(0);
  const Solution solution = exact(hard_problem(), {.time = &over});
  EXPECT_TRUE(over.struck());
  EXPECT_EQ(solution.nodes, 0);
  EXPECT_EQ(validate(hard_problem(), solution.addresses), "");
}

TEST(Exact, RejectsMalformedProblems) {
  EXPECT_THROW((void)lower_bound_bytes({.buffers = {buffer(-1, 0, 1)}, .overlaps = {}}),
               InternalError);
  EXPECT_THROW((void)lower_bound_bytes({.buffers = {buffer(1, 0, 1, 3)}, .overlaps = {}}),
               InternalError);
  EXPECT_THROW((void)lower_bound_bytes({.buffers = {buffer(1, 2, 1)}, .overlaps = {}}),
               InternalError);
  EXPECT_THROW((void)lower_bound_bytes({.buffers = {buffer(1, 0, 1)},
                                        .overlaps = {{.out = 0, .in = 1, .lead_bytes = 0}}}),
               InternalError);
}

TEST(Exact, RejectsFixedAddressesThatContradict) {
  Problem problem{.buffers = {buffer(4, 0, 4), buffer(4, 0, 4)}, .overlaps = {}};
  problem.buffers[0].address = 0;
  problem.buffers[1].address = 2;
  EXPECT_THROW((void)exact(problem, {}), InternalError);
}

}  // namespace
}  // namespace thimble::layout
