// SPDX-License-Identifier: Apache-2.0
// Orders of literal problems: the paper's figure, in-place execution, chains and cells.
#include "thimble/search/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "thimble/model/error.h"

namespace thimble {
namespace {

using Op = OrderProblem::Op;

Op op(std::vector<int> inputs, int output) {
  return {.inputs = std::move(inputs), .outputs = {output}, .scratch_bytes = 0, .in_place = {}};
}

/// Liberis & Lane 2019, Figure 1; sizes from the usage tables of appendix A.
OrderProblem figure1() {
  return {.size_bytes = {1568, 3136, 1568, 512, 512, 256, 256, 512},
          .inputs = {0},
          .outputs = {7},
          .ops = {op({0}, 1), op({1}, 2), op({2}, 3), op({1}, 4), op({3}, 5), op({4}, 6),
                  op({5, 6}, 7)}};
}

TEST(WorkingSets, GiveTheFirstTableOfAppendixA) {
  EXPECT_EQ(working_sets(figure1(), {0, 1, 2, 3, 4, 5, 6}),
            (std::vector<int64_t>{4704, 4704, 5216, 4160, 1280, 1024, 1024}));
}

TEST(WorkingSets, GiveTheSecondTableOfAppendixA) {
  EXPECT_EQ(working_sets(figure1(), {0, 3, 5, 1, 2, 4, 6}),
            (std::vector<int64_t>{4704, 3648, 3904, 4960, 2336, 1024, 1024}));
}

TEST(Reorder, FindsTheOrderOfFigure1) {
  EXPECT_EQ(original_order(figure1()).peak_bytes, 5216);
  const Order order = reorder(figure1());
  EXPECT_EQ(order.peak_bytes, 4960);
  EXPECT_EQ(order.lower_bound_bytes, 4960);
  EXPECT_TRUE(order.proven_optimal);
  EXPECT_EQ(order.ops, (std::vector<int>{0, 3, 5, 1, 2, 4, 6}));
}

// Operators 1, 2, 4 and 3, 5 stand in any order between the first and the last: 5 over 2.
TEST(AllOrders, AreThoseOfFigure1) {
  const std::vector<std::vector<int>> orders = all_orders(figure1(), 100);
  EXPECT_EQ(std::set(orders.begin(), orders.end()).size(), 10);
  EXPECT_EQ(orders.size(), 10);
  EXPECT_EQ(orders[0], original_order(figure1()).ops);
  int64_t least = orders.empty() ? 0 : std::numeric_limits<int64_t>::max();
  for (const std::vector<int>& order : orders)
    least = std::min(least, std::ranges::max(working_sets(figure1(), order)));
  EXPECT_EQ(least, 4960);
  EXPECT_EQ(all_orders(figure1(), 3).size(), 3);
}

TEST(WorkingSets, TakeTheInputsBytesInPlace) {
  OrderProblem problem{
      .size_bytes = {100, 60, 60}, .inputs = {0}, .outputs = {2}, .ops = {op({0}, 1), op({1}, 2)}};
  EXPECT_EQ(working_sets(problem, {0, 1}), (std::vector<int64_t>{160, 120}));
  problem.ops[1].in_place = {{.input = 1, .scratch_bytes = 7}};
  EXPECT_EQ(working_sets(problem, {0, 1}), (std::vector<int64_t>{160, 67}));
}

TEST(WorkingSets, CountTheLargerOfInputAndOutputInPlace) {
  OrderProblem problem{.size_bytes = {10, 25}, .inputs = {0}, .outputs = {1}, .ops = {op({0}, 1)}};
  problem.ops[0].in_place = {{.input = 0, .scratch_bytes = 0}};
  EXPECT_EQ(working_sets(problem, {0}), (std::vector<int64_t>{25}));
}

TEST(WorkingSets, KeepAnInputThatIsReadLater) {
  OrderProblem problem{.size_bytes = {10, 10, 10},
                       .inputs = {0},
                       .outputs = {1, 2},
                       .ops = {op({0}, 1), op({0}, 2)}};
  problem.ops[0].in_place = {{.input = 0, .scratch_bytes = 0}};
  EXPECT_EQ(working_sets(problem, {0, 1}), (std::vector<int64_t>{20, 30}));
  EXPECT_EQ(working_sets(problem, {1, 0}), (std::vector<int64_t>{20, 20}));
  EXPECT_EQ(reorder(problem).ops, (std::vector<int>{1, 0}));
}

TEST(WorkingSets, KeepNetworkOutputsToTheEnd) {
  OrderProblem problem{
      .size_bytes = {10, 20, 5}, .inputs = {0}, .outputs = {1, 2}, .ops = {op({0}, 1), op({1}, 2)}};
  problem.ops[1].in_place = {{.input = 1, .scratch_bytes = 0}};
  EXPECT_EQ(working_sets(problem, {0, 1}), (std::vector<int64_t>{30, 25}));
}

TEST(WorkingSets, CountScratchWhileItIsUsed) {
  OrderProblem problem{
      .size_bytes = {10, 20, 5}, .inputs = {0}, .outputs = {2}, .ops = {op({0}, 1), op({1}, 2)}};
  problem.ops[0].scratch_bytes = 9;
  EXPECT_EQ(working_sets(problem, {0, 1}), (std::vector<int64_t>{39, 25}));
}

TEST(WorkingSets, RejectWhatIsNoOrder) {
  EXPECT_THROW((void)working_sets(figure1(), {0, 1}), InternalError);
  EXPECT_THROW((void)working_sets(figure1(), {1, 0, 2, 3, 4, 5, 6}), InternalError);
  EXPECT_THROW((void)working_sets(figure1(), {0, 0, 2, 3, 4, 5, 6}), InternalError);
}

/// After the second operator the third becomes ready, as the last reader of tensor 1; the first
/// changes nothing of what is live.
TEST(GreedyOrder, KeepsWhatIsReadyBesideAReaderThatBecomesIt) {
  OrderProblem problem{.size_bytes = {4, 8, 8, 4, 4, 4},
                       .inputs = {0, 1, 2},
                       .outputs = {3, 5},
                       .ops = {op({0}, 3), op({1, 2}, 4), op({1, 4}, 5)}};
  problem.ops[0].in_place = {{.input = 0, .scratch_bytes = 0}};
  problem.ops[1].in_place = {{.input = 2, .scratch_bytes = 0}};
  EXPECT_EQ(greedy_order(problem).ops, (std::vector<int>{1, 2, 0}));
}

TEST(Reorder, RejectsACycle) {
  const OrderProblem problem{
      .size_bytes = {1, 1}, .inputs = {}, .outputs = {0}, .ops = {op({1}, 0), op({0}, 1)}};
  EXPECT_THROW((void)reorder(problem), InternalError);
}

TEST(Reorder, OrdersNothing) {
  const Order order = reorder({});
  EXPECT_TRUE(order.ops.empty());
  EXPECT_TRUE(order.proven_optimal);
}

TEST(Reorder, NeedsNoSearchForALongChain) {
  OrderProblem problem{.size_bytes = {100}, .inputs = {0}, .outputs = {1000}, .ops = {}};
  for (int i = 0; i < 1000; ++i) {
    problem.size_bytes.push_back(1 + (i * 7919) % 1000);
    problem.ops.push_back(op({i}, i + 1));
  }
  const Order order = reorder(problem);
  EXPECT_TRUE(order.proven_optimal);
  EXPECT_EQ(order.states, 0);
}

/// Branches of `length` operators, each from the one input, summed by a last operator. Widths
/// differ, and the file takes all branches in step.
OrderProblem branches(int count, int length) {
  OrderProblem problem{.size_bytes = {100}, .inputs = {0}, .outputs = {}, .ops = {}};
  std::vector<int> ends(static_cast<size_t>(count), 0);
  for (int step = 0; step < length; ++step) {
    for (int b = 0; b < count; ++b) {
      const auto tensor = static_cast<int>(problem.size_bytes.size());
      const bool last = step + 1 == length;
      problem.size_bytes.push_back(last ? 10 + b : 50 + (b * 37 + step * 11) % 90);
      problem.ops.push_back(op({ends[static_cast<size_t>(b)]}, tensor));
      ends[static_cast<size_t>(b)] = tensor;
    }
  }
  problem.outputs = {static_cast<int>(problem.size_bytes.size())};
  problem.size_bytes.push_back(40);
  problem.ops.push_back(op(ends, problem.outputs[0]));
  return problem;
}

TEST(Reorder, FoldsTheRunsOfBranches) {
  const OrderProblem problem = branches(8, 30);
  const Order order = reorder(problem);
  EXPECT_TRUE(order.proven_optimal);
  EXPECT_LT(order.peak_bytes, original_order(problem).peak_bytes);
  EXPECT_LT(order.states, 100'000);  // 31^8 sets without folding
}

TEST(Reorder, GivesTheBestKnownWithItsBoundPastTheStates) {
  const OrderProblem problem = branches(8, 30);
  const Order least = reorder(problem);
  const Order order = reorder(problem, 3);
  EXPECT_FALSE(order.proven_optimal);
  EXPECT_LE(order.lower_bound_bytes, least.peak_bytes);
  EXPECT_GE(order.peak_bytes, least.peak_bytes);
  EXPECT_LE(order.peak_bytes, original_order(problem).peak_bytes);
}

}  // namespace
}  // namespace thimble
