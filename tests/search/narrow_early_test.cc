// SPDX-License-Identifier: Apache-2.0
// Orders of literal problems: what narrows goes first, and depth-first walks.
#include "thimble/search/narrow_early.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/search/order_networks.h"

namespace thimble {
namespace {

OrderProblem::Op op(std::vector<int> inputs, int output) {
  return {.inputs = std::move(inputs), .outputs = {output}, .scratch_bytes = 0, .in_place = {}};
}

/// 0 -> a -> wide 1; 1 -> 2 and 1 -> 3, each narrow; 0 -> 4; 2 + 3 + 4 -> 5
OrderProblem two_readers(int64_t narrow) {
  return {.size_bytes = {100, 100, narrow, narrow, 10, 10},
          .inputs = {0},
          .outputs = {5},
          .ops = {op({0}, 1), op({0}, 4), op({1}, 2), op({1}, 3), op({2, 3, 4}, 5)}};
}

TEST(NarrowEarly, PutsAllReadersBehindTheirTensor) {
  const Order order = narrow_early(two_readers(20), {0, 1, 2, 3, 4});
  EXPECT_EQ(order.ops, (std::vector<int>{0, 2, 3, 1, 4}));
  EXPECT_EQ(order.peak_bytes, 100 + 100 + 20 + 20);
}

TEST(NarrowEarly, LeavesReadersThatAreAsLargeTogether) {
  EXPECT_EQ(narrow_early(two_readers(50), {0, 1, 2, 3, 4}).ops, (std::vector<int>{0, 1, 2, 3, 4}));
}

// 1 -> 2 (wide) -> 3 (narrow): the run goes on as far as it gets smaller.
TEST(NarrowEarly, FollowsARunToItsSmallestResult) {
  const OrderProblem problem{
      .size_bytes = {10, 50, 80, 20, 30, 10},
      .inputs = {0},
      .outputs = {5},
      .ops = {op({0}, 1), op({0}, 4), op({1}, 2), op({2}, 3), op({3, 4}, 5)}};
  EXPECT_EQ(narrow_early(problem, {0, 1, 2, 3, 4}).ops, (std::vector<int>{0, 2, 3, 1, 4}));
}

TEST(NarrowEarly, KeepsOutputsOfTheNetworkWhereTheyAre) {
  OrderProblem problem = two_readers(20);
  problem.outputs.push_back(1);
  EXPECT_EQ(narrow_early(problem, {0, 1, 2, 3, 4}).ops, (std::vector<int>{0, 1, 2, 3, 4}));
}

void expect_order(const OrderProblem& problem, const Order& order) {
  EXPECT_EQ(order.peak_bytes, std::ranges::max(working_sets(problem, order.ops)));
}

// working_sets() throws for what is no order.
TEST(NarrowEarly, IsAnOrderOfRandomProblems) {
  int changed = 0;
  for (uint32_t seed = 1; seed <= 500; ++seed) {
    const OrderProblem problem = random_problem(
        {.ops = 30, .reach = 5, .max_bytes = 100, .seed = seed, .in_place = seed % 2 == 0});
    const Order before = original_order(problem), narrow = narrow_early(problem, before.ops);
    expect_order(problem, narrow);
    expect_order(problem, reverse_post_order(problem));
    changed += before.ops == narrow.ops ? 0 : 1;
  }
  EXPECT_GT(changed, 50);
}

// A cell reads the outputs of the last two: no output waits for the cell after the next.
TEST(NarrowEarly, HoldsLessBetweenTheCellsOfNasnet) {
  const OrderProblem problem =
      nasnet_problem({.resolution = 32, .channels = 32, .cells = 3, .in_place = false}, false);
  const Order least = reorder(problem);
  const auto held = [&](const std::vector<int>& order) {
    const std::vector<int64_t> bytes =
        held_bytes(lives(problem, order), problem.size_bytes, static_cast<int>(order.size()));
    int64_t sum = 0;
    for (const int64_t b : bytes) sum += b;
    return sum;
  };
  EXPECT_LT(held(narrow_early(problem, least.ops).ops), held(least.ops));
}

// Depth first: one branch of the diamond to its end, then the other.
TEST(ReversePostOrder, FinishesABranchBeforeTheNext) {
  const OrderProblem problem{
      .size_bytes = {1, 1, 1, 1, 1, 1, 1},
      .inputs = {0},
      .outputs = {6},
      .ops = {op({0}, 1), op({1}, 2), op({1}, 3), op({2}, 4), op({3}, 5), op({4, 5}, 6)}};
  EXPECT_EQ(reverse_post_order(problem).ops, (std::vector<int>{0, 1, 3, 2, 4, 5}));
}

TEST(ReversePostOrder, KeepsAChainAsItIs) {
  OrderProblem problem{.size_bytes = {1}, .inputs = {0}, .outputs = {1'000}, .ops = {}};
  std::vector<int> chain;
  for (int i = 0; i < 1'000; ++i) {
    problem.size_bytes.push_back(1);
    problem.ops.push_back(op({i}, i + 1));
    chain.push_back(i);
  }
  EXPECT_EQ(reverse_post_order(problem).ops, chain);
}

TEST(NarrowEarly, TakesANetworkWithoutOperators) {
  EXPECT_EQ(narrow_early(OrderProblem{}, {}).peak_bytes, 0);
}

}  // namespace
}  // namespace thimble
