// SPDX-License-Identifier: Apache-2.0
// Networks of thousands of operators, from the graph to the emitted text: whatever takes the square
// of their number runs into the time limit of this test.
#include <gtest/gtest.h>

#include "tests/support/large_network.h"
#include "thimble/driver/driver.h"
#include "thimble/layout/layout.h"
#include "thimble/plan/order_problem.h"

namespace thimble {
namespace {

using testing::Form;
using testing::large_network;

constexpr int kOps = 3000;
constexpr int64_t kTensorBytes = 64;

Compiled compiled(Form form, const std::string& planner) {
  const Source source{large_network(form, kOps), testing::name(form), std::string(64, '0')};
  return std::get<Compiled>(compile({.model = source, .planner = planner}));
}

class LargeNetworks : public ::testing::TestWithParam<const char*> {};

TEST_P(LargeNetworks, ChainIsExecutedInPlace) {
  const Compiled chain = compiled(Form::kChain, GetParam());
  EXPECT_EQ(chain.plan.placement.arena_bytes(), kTensorBytes);
  EXPECT_TRUE(chain.plan.placement.arena().proven_optimal);
}

TEST_P(LargeNetworks, OutputsNeedTheirBytesEach) {
  const Compiled outputs = compiled(Form::kManyOutputs, GetParam());
  EXPECT_EQ(outputs.plan.placement.arena_bytes(), kOps * kTensorBytes);
  EXPECT_TRUE(outputs.plan.placement.arena().proven_optimal);
}

// A tree of additions holds one tensor per level and what it adds; the file's order all leaves.
TEST_P(LargeNetworks, WideOnesAreOrdered) {
  const Compiled wide = compiled(Form::kWide, GetParam());
  EXPECT_LE(wide.plan.placement.arena_bytes(), (kOps / 2 + 1) * kTensorBytes);
}

INSTANTIATE_TEST_SUITE_P(Planners, LargeNetworks,
                         ::testing::Values("original", "reorder", "stream"),
                         [](const auto& test) { return std::string(test.param); });

TEST(LargeNetwork, IsEmittedWithAStagePerOperator) {
  const Source source{large_network(Form::kWide, kOps), "wide", std::string(64, '0')};
  const Answer answer =
      compile({.model = source, .planner = "original", .emission = Emission{.name = "wide"}});
  size_t bytes = 0;
  for (const EmittedFile& file : std::get<Compiled>(answer).files) bytes += file.text.size();
  EXPECT_GT(bytes, size_t{kOps} * 50);
}

TEST(LargeNetwork, IsSearchedByCountedWork) {
  const Graph graph = large_network(Form::kWide, kOps);
  const OrderProblem problem = order_problem(graph, instances_of(graph, {}), true);
  const Order order = reorder(problem), again = reorder(problem);
  EXPECT_EQ(order.ops, again.ops);
  EXPECT_EQ(order.states, again.states);
  EXPECT_LT(order.states, 2'000'000) << "steps end the search before";
}

}  // namespace
}  // namespace thimble
