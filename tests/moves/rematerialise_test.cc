// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/rematerialise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/short_plans.h"
#include "tests/support/test_graph.h"
#include "thimble/moves/relayout_inputs.h"
#include "thimble/operators/operators.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

using ::testing::ElementsAre;

// Squeeze-and-excitation: x -> expand e -> depthwise t -> mean -> gate;  t + gate -> y
//                            op   0           1         2       3          4
struct Squeezed {
  testing::TestGraph g{1};
  TensorId x, e, t, y;
  Squeezed() {
    x = g.input({1, 8, 8, 2});
    e = g.conv(x, 8, 1, 1);
    t = g.depthwise(e, 3, 1);
    y = g.add(t, g.conv(g.mean(t), 8, 1, 1));
    g.output(y);
  }
  [[nodiscard]] const Graph& graph() const { return g.graph(); }
};

TEST(Rematerialise, FindsAnImageThatWaitsForItsMean) {
  const Squeezed s;
  const auto found = rematerialisations(AxisGraph(s.graph()), instances_of(s.graph(), {}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].chain, ElementsAre(InstanceId{0}, InstanceId{1}));
  EXPECT_THAT(found[0].readers, ElementsAre(InstanceId{4}));
  EXPECT_EQ(found[0].bytes, 8 * 8 * 8);
  EXPECT_EQ(found[0].macs, macs(s.graph(), s.graph().op({0})) + macs(s.graph(), s.graph().op({1})));
}

TEST(Rematerialise, ComputesTheChainAgainInFrontOfItsReader) {
  const Squeezed s;
  const Instances before = instances_of(s.graph(), {});
  const Instances after = rematerialise(before, rematerialisations(AxisGraph(s.graph()), before));
  std::vector<int> ops;
  std::vector<bool> recomputes;
  for (const Instance& instance : after.list) {
    ops.push_back(instance.op.value);
    recomputes.push_back(instance.recomputes);
  }
  EXPECT_THAT(ops, ElementsAre(0, 1, 2, 3, 0, 1, 4));
  EXPECT_THAT(recomputes, ElementsAre(true, true, false, false, true, true, false));
  const auto e2 = ValueId{static_cast<int32_t>(before.values.size())}, t2 = ValueId{e2.value + 1};
  EXPECT_EQ(after.value(e2).tensor, s.e);
  EXPECT_EQ(after.value(t2).tensor, s.t);
  EXPECT_EQ(after.list[4].reads[0], ValueId{s.x.value});
  EXPECT_EQ(after.list[4].makes, e2);
  EXPECT_EQ(after.list[5].reads[0], e2);
  EXPECT_EQ(after.list[5].makes, t2);
  EXPECT_EQ(after.list[6].reads[0], t2);
  EXPECT_EQ(after.list[2], before.list[2]) << "the mean reads the first";
}

TEST(Rematerialise, CostsTheChainsMacs) {
  const Graph graph = build_zoo("efficientnet_b0:resolution=32");
  const Instances before = instances_of(graph, {});
  std::vector<Rematerialisation> two = rematerialisations(AxisGraph(graph), before);
  two.resize(2);
  const Instances after = rematerialise(before, two);
  EXPECT_EQ(after.list.size(), before.list.size() + two[0].chain.size() + two[1].chain.size());
  const Schedule schedule = testing::whole_operators(graph, after, true);
  EXPECT_EQ(malformed(graph, schedule), "");
  EXPECT_EQ(macs(graph, schedule), macs(graph) + two[0].macs + two[1].macs);
}

TEST(Rematerialise, FindsTheSameWhereRowsAreReceivedAndDelivered) {
  const Squeezed s;
  const Instances instances =
      instances_of(s.graph(), {.input = Place::kStreamed, .output = Place::kStreamed});
  const auto found = rematerialisations(AxisGraph(s.graph()), instances);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].chain, ElementsAre(InstanceId{1}, InstanceId{2})) << "behind the copy";
}

TEST(Rematerialise, ComputesAgainFromARelaidInput) {
  Squeezed s;
  s.g.graph().inputs[0].order = {0, 3, 1, 2};
  const Instances relaid = relayout_inputs(s.graph(), instances_of(s.graph(), {})).value();
  const Instances after = rematerialise(relaid, rematerialisations(AxisGraph(s.graph()), relaid));
  ASSERT_EQ(after.list.size(), 8U);
  EXPECT_EQ(after.list[5].op, OpId{0});
  EXPECT_EQ(after.list[5].reads[0], after.list[0].makes);
}

TEST(Rematerialise, LeavesResidualsThatStream) {
  testing::TestGraph g(1);
  const TensorId x = g.conv(g.input({1, 8, 8, 2}), 4, 3, 1);
  g.output(g.add(x, g.conv(x, 4, 3, 1)));
  EXPECT_TRUE(rematerialisations(AxisGraph(g.graph()), instances_of(g.graph(), {})).empty());
}

TEST(Rematerialise, LeavesOutputs) {
  Squeezed s;
  s.g.output(s.t);
  EXPECT_TRUE(rematerialisations(AxisGraph(s.graph()), instances_of(s.graph(), {})).empty());
}

TEST(Rematerialise, FindsTheGatedImagesOfEfficientNetLargestFirst) {
  const Graph graph = build_zoo("efficientnet_b0:resolution=32");
  const Instances instances = instances_of(graph, {});
  const auto found = rematerialisations(AxisGraph(graph), instances);
  ASSERT_GE(found.size(), 2U);
  EXPECT_TRUE(std::ranges::is_sorted(found, std::ranges::greater{}, &Rematerialisation::bytes));
  for (const Rematerialisation& one : found) {
    const ValueId image = instances.instance(one.chain.back()).makes;
    EXPECT_EQ(one.bytes, graph.tensor(instances.value(image).tensor).size_bytes());
    int64_t chain_macs = 0;
    for (const InstanceId id : one.chain)
      chain_macs += macs(graph, graph.op(instances.instance(id).op));
    EXPECT_EQ(one.macs, chain_macs);
    // The gate, or a residual behind it.
    for (const InstanceId reader : one.readers) {
      const Op& op = graph.op(instances.instance(reader).op);
      EXPECT_TRUE(std::holds_alternative<Mul>(op.attributes) ||
                  std::holds_alternative<Add>(op.attributes))
          << label(op);
    }
  }
}

}  // namespace
}  // namespace thimble
