// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/order_problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/test_graph.h"

namespace thimble {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using InPlace = OrderProblem::Op::InPlace;

// x v0 -> conv 1x1 v3 (weights v1, bias v2) -> v3 + v0 -> v4, 64 B each
Graph residual() {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 4, 4, 4});
  g.output(g.add(g.conv(x, 4, 1, 1), x));
  return g.graph();
}

TEST(OrderProblemOfInstances, CountsActivationsInTheArena) {
  const Graph graph = residual();
  const OrderProblem problem = order_problem(graph, instances_of(graph, {}), true);
  EXPECT_THAT(problem.size_bytes, ElementsAre(64, 0, 0, 64, 64));
  EXPECT_THAT(problem.inputs, ElementsAre(0));
  EXPECT_THAT(problem.outputs, ElementsAre(4));
  ASSERT_EQ(problem.ops.size(), 2U);
  EXPECT_THAT(problem.ops[0].inputs, ElementsAre(0)) << "no constants";
  EXPECT_THAT(problem.ops[1].inputs, ElementsAre(3, 0));
  EXPECT_THAT(problem.ops[1].in_place, ElementsAre(InPlace{3}, InPlace{0}));
}

TEST(OrderProblemOfInstances, ExecutesNothingInPlaceUnlessAsked) {
  const Graph graph = residual();
  for (const auto& op : order_problem(graph, instances_of(graph, {}), false).ops)
    EXPECT_THAT(op.in_place, IsEmpty());
}

TEST(OrderProblemOfInstances, LeavesTheCallersMemoryAlone) {
  const Graph graph = residual();
  const OrderProblem in = order_problem(graph, instances_of(graph, {.input = Place::kUser}), true);
  EXPECT_THAT(in.size_bytes, ElementsAre(0, 0, 0, 64, 64));
  EXPECT_THAT(in.ops[1].in_place, ElementsAre(InPlace{3}));
  const OrderProblem out =
      order_problem(graph, instances_of(graph, {.output = Place::kUser}), true);
  EXPECT_THAT(out.ops[1].in_place, IsEmpty());
}

TEST(OrderProblemOfInstances, HasStreamsWithoutBytesAndTheirTensorsWithTheirs) {
  const Graph graph = residual();
  const OrderProblem problem = order_problem(
      graph, instances_of(graph, {.input = Place::kStreamed, .output = Place::kStreamed}), true);
  EXPECT_THAT(problem.size_bytes, ElementsAre(64, 0, 0, 64, 64, 0, 0));
  EXPECT_THAT(problem.inputs, ElementsAre(5));
  EXPECT_THAT(problem.outputs, ElementsAre(6));
  EXPECT_EQ(problem.ops.front(), (OrderProblem::Op{.inputs = {5}, .outputs = {0}, .in_place = {}}));
  EXPECT_EQ(problem.ops.back(), (OrderProblem::Op{.inputs = {4}, .outputs = {6}, .in_place = {}}));
}

TEST(OrderProblemOfInstances, DepthwiseExecutesInPlaceWithScratch) {
  testing::TestGraph g(1);
  g.output(g.depthwise(g.input({1, 8, 8, 4}), 3, 1));
  const OrderProblem problem = order_problem(g.graph(), instances_of(g.graph(), {}), true);
  ASSERT_EQ(problem.ops[0].in_place.size(), 1U);
  EXPECT_EQ(problem.ops[0].in_place[0].input, 0);
  EXPECT_GT(problem.ops[0].in_place[0].scratch_bytes, 0);
  g.graph().inputs[0].order = {0, 3, 1, 2};
  EXPECT_THAT(order_problem(g.graph(), instances_of(g.graph(), {}), true).ops[0].in_place,
              IsEmpty())
      << "rows of one, planes of the other";
}

}  // namespace
}  // namespace thimble
