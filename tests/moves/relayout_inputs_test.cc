// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/relayout_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/test_graph.h"
#include "thimble/plan/order_problem.h"

namespace thimble {
namespace {

const std::vector<int> kPlanes{0, 3, 1, 2};

// An image, by default as planes, to a convolution.
testing::TestGraph image(int64_t batch = 1, const std::vector<int>& order = kPlanes) {
  testing::TestGraph g(1);
  g.output(g.conv(g.input({1, 6, 5, 3}), 4, 3, 1));
  for (const TensorId t : {g.graph().inputs[0].tensor, g.graph().outputs[0].tensor})
    g.graph().tensor(t).shape[0] = batch;
  g.graph().inputs[0].order = order;
  return g;
}

std::optional<Instances> relaid(const Graph& graph, const PortPlaces& ports = {}) {
  return relayout_inputs(graph, instances_of(graph, ports));
}

TEST(RelayoutInputs, CopiesPlanesToRowMajorOrderFirst) {
  const testing::TestGraph g = image();
  const Instances before = instances_of(g.graph(), {}), after = relaid(g.graph()).value();
  const ValueId x{0}, given{static_cast<int32_t>(before.values.size())};
  EXPECT_EQ(after.inputs, std::vector{given});
  EXPECT_EQ(after.value(given), (Value{.tensor = {0}, .axis_order = kPlanes}));
  EXPECT_EQ(after.value(x), (Value{.tensor = {0}, .axis_order = {}}));
  ASSERT_EQ(after.list.size(), 2U);
  EXPECT_EQ(after.list[0], (Instance{.op = {}, .reads = {given}, .makes = x}));
  EXPECT_EQ(after.list[1], before.list[0]);
}

TEST(RelayoutInputs, TakesNoMemory) {
  const testing::TestGraph g = image();
  const OrderProblem problem = order_problem(g.graph(), relaid(g.graph()).value(), true);
  const int given = problem.inputs[0];
  EXPECT_THAT(problem.ops[0].in_place, ::testing::ElementsAre(OrderProblem::Op::InPlace{given}));
  EXPECT_EQ(working_sets(problem, {0, 1}), (std::vector<int64_t>{90, 90 + 120}));
}

// Its leads are those of the row-major value, not of the port.
TEST(RelayoutInputs, LetsOutputsTakeTheBytesOfTheImage) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 6, 5, 3});
  g.output(g.add(x, x));
  g.graph().inputs[0].order = kPlanes;
  const auto ways = [&](const Instances& instances) {
    return order_problem(g.graph(), instances, true).ops.back().in_place;
  };
  EXPECT_THAT(ways(instances_of(g.graph(), {})), ::testing::IsEmpty());
  EXPECT_THAT(ways(relaid(g.graph()).value()),
              ::testing::ElementsAre(OrderProblem::Op::InPlace{x.value}));
}

TEST(RelayoutInputs, OnlyWhereAMatrixIsTransposed) {
  EXPECT_FALSE(relaid(image(1, {}).graph()));
  EXPECT_FALSE(relaid(image(1, {0, 3, 2, 1}).graph())) << "rows and columns exchanged, too";
  EXPECT_FALSE(relaid(image(2).graph())) << "one matrix per image";
}

TEST(RelayoutInputs, OnlyOfWhatIsInTheArenaAndNoOutput) {
  testing::TestGraph g = image();
  EXPECT_FALSE(relaid(g.graph(), {.input = Place::kUser})) << "the caller's is left as it is";
  EXPECT_FALSE(relaid(g.graph(), {.input = Place::kStreamed}));
  g.graph().outputs.push_back(g.graph().inputs[0]);
  EXPECT_FALSE(relaid(g.graph()));
}

}  // namespace
}  // namespace thimble
