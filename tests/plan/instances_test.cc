// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/instances.h"

#include <gtest/gtest.h>

#include "tests/support/test_graph.h"

namespace thimble {
namespace {

const std::vector<int> kPlanes{0, 3, 1, 2};

// x v0 -> conv v3 (weights v1, bias v2) -> v3 + v0 -> v4
Graph residual_of_planes() {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 6, 5, 3});
  g.output(g.add(x, g.conv(x, 3, 3, 1)));
  g.graph().inputs[0].order = kPlanes;
  return g.graph();
}

TEST(Instances, AreTheOperatorsOnTheTensors) {
  const Graph graph = residual_of_planes();
  const Instances instances = instances_of(graph, {});
  ASSERT_EQ(instances.list.size(), 2U);
  for (int32_t k = 0; k < 2; ++k) {
    const Instance& instance = instances.instance({k});
    EXPECT_EQ(instance.op, OpId{k});
    EXPECT_EQ(instance.makes.value, graph.op({k}).outputs[0].value);
    EXPECT_EQ(instance.reads.size(), graph.op({k}).inputs.size());
  }
  EXPECT_EQ(instances.values.size(), graph.tensors.size());
  EXPECT_EQ(instances.inputs, std::vector<ValueId>{{0}});
  EXPECT_EQ(instances.value({0}), (Value{.tensor = {0}, .axis_order = kPlanes}));
}

TEST(Instances, PortsOfTheCallerAreNotInTheArena) {
  const Graph graph = residual_of_planes();
  const Instances instances = instances_of(graph, {.input = Place::kUser, .output = Place::kUser});
  EXPECT_EQ(instances.value({0}), (Value{.tensor = {0}, .axis_order = kPlanes, .memory = kCaller}));
  EXPECT_EQ(instances.value(instances.outputs[0]).memory, kCaller);
}

TEST(Instances, StreamsAreReceivedAndDeliveredByCopies) {
  const Graph graph = residual_of_planes();
  const Instances instances =
      instances_of(graph, {.input = Place::kStreamed, .output = Place::kStreamed});
  ASSERT_EQ(instances.list.size(), 4U);
  const ValueId in = instances.inputs[0], out = instances.outputs[0];
  const ValueId x{0}, y{graph.outputs[0].tensor.value};
  EXPECT_EQ(instances.list.front(), (Instance{.op = {}, .reads = {in}, .makes = x}));
  EXPECT_EQ(instances.list.back(), (Instance{.op = {}, .reads = {y}, .makes = out}));
  EXPECT_EQ(instances.value(in), (Value{.tensor = {0}, .axis_order = {}, .memory = kStream}));
  EXPECT_EQ(instances.value(x), (Value{.tensor = {0}, .axis_order = {}})) << "rows, as they come";
  EXPECT_EQ(instances.value(out).memory, kStream);
}

TEST(Instances, KnowMakersAndReaders) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 4, 4, 2});
  const TensorId t = g.conv(x, 2, 1, 1);
  g.output(g.add(t, t));
  const Instances instances = instances_of(g.graph(), {});
  EXPECT_FALSE(makers(instances)[x.index()].valid());
  EXPECT_EQ(makers(instances)[t.index()], InstanceId{0});
  EXPECT_EQ(readers(instances)[t.index()], std::vector<InstanceId>{{1}}) << "once";
}

}  // namespace
}  // namespace thimble
