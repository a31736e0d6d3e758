// SPDX-License-Identifier: Apache-2.0
// What derive() refuses, since no kernel takes it or nothing would be right, and what it must get
// right: each found by random plans.
#include <gtest/gtest.h>

#include "tests/plan/hand_plans.h"
#include "tests/support/test_graph.h"
#include "thimble/moves/relayout_inputs.h"

namespace thimble {
namespace {

using testing::call;
using testing::computed;
using testing::fault_of;
using testing::group;
using testing::tiles;
using testing::value_of;

bool derives(const Graph& graph, const Member& member, const PortPlaces& ports = {}) {
  const AxisGraph axes(graph);
  const Instances instances = instances_of(graph, ports);
  return derive(Dataflow(axes, instances), std::get<Group>(member.what)).has_value();
}

std::string fault_of_members(const Graph& graph, std::vector<Member> members) {
  return fault_of(graph, build(graph, {.instances = instances_of(graph, {}),
                                       .members = std::move(members),
                                       .overlaps = {},
                                       .accumulators = {}}));
}

TEST(Derive, RefusesToCutWhatAKernelDoesWhole) {
  testing::TestGraph g(1);
  const TensorId y = g.softmax(g.input({1, 4, 5, 6}));
  g.output(y);
  EXPECT_FALSE(derives(g.graph(), group(tiles(value_of(y), 3, 2, Border::kSlice), computed(0, 1))));
  EXPECT_TRUE(derives(g.graph(), group(tiles(value_of(y), 1, 2, Border::kSlice), computed(0, 1))));
}

TEST(Derive, RefusesAnAxisThatTheValueDoesNotHave) {
  testing::TestGraph g(1);
  const TensorId y = g.softmax(g.input({4, 6}));
  g.output(y);
  EXPECT_FALSE(derives(g.graph(), group(tiles(value_of(y), 2, 1), computed(0, 1))));
}

TEST(Derive, RefusesARingOfChannels) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 1, 6});
  const TensorId a = g.linear(x, 7), y = g.linear(a, 5);
  g.output(y);
  const Graph& graph = g.graph();
  const auto finalised_into = [&](Border border) {
    return group(tiles(value_of(a), 2, 1, border),
                 {call(0, Method::kFinalise), call(1, Method::kAccumulate)});
  };
  EXPECT_FALSE(derives(graph, finalised_into(Border::kRoll)));
  const Member sums =
      group(tiles(value_of(x), 2, 3, Border::kSlice), {call(0, Method::kAccumulate)});
  EXPECT_EQ(
      fault_of_members(graph, {sums, finalised_into(Border::kSlice), call(1, Method::kFinalise)}),
      "");
}

TEST(Derive, RefusesCopiesIntoARingOfChannels) {
  testing::TestGraph g(1);
  g.output(g.depthwise(g.input({1, 4, 5, 6}), 1, 1));
  g.graph().inputs[0].order = {0, 3, 1, 2};
  const Graph& graph = g.graph();
  const AxisGraph axes(graph);
  const Instances relaid = relayout_inputs(graph, instances_of(graph, {})).value();
  const Dataflow flow(axes, relaid);
  const auto rolls = [&](int axis) {
    const Member along = group(tiles(relaid.list[1].makes, axis, 1), computed(0, 2));
    return derive(flow, std::get<Group>(along.what)).has_value();
  };
  EXPECT_TRUE(rolls(1));
  EXPECT_FALSE(rolls(3));
}

TEST(Derive, RefusesPixelsThatRollWithinBatches) {
  testing::TestGraph g(1);
  const TensorId a = g.depthwise(g.input({1, 5, 6, 2}), 3, 1);
  const TensorId y = g.depthwise(a, 3, 1);
  g.output(y);
  const auto nested = [&](int outer, int inner) {
    return group(tiles(value_of(y), outer, 1),
                 {group(tiles(value_of(y), inner, 1), computed(0, 2))});
  };
  EXPECT_TRUE(derives(g.graph(), nested(1, 2)));
  EXPECT_TRUE(derives(g.graph(), nested(2, 1)));
  const Member batches = group(tiles(value_of(y), 0, 4, Border::kSlice), {nested(1, 2)});
  EXPECT_FALSE(derives(g.graph(), batches));
}

TEST(Derive, RefusesStreamsInsideOfTwoLoops) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 4, 5, 2});
  g.output(g.depthwise(x, 3, 1));
  const PortPlaces streamed{.input = Place::kStreamed};
  const Member rows = group(tiles(value_of(x), 1, 1), computed(0, 1));
  EXPECT_TRUE(derives(g.graph(), rows, streamed));
  EXPECT_FALSE(
      derives(g.graph(), group(tiles(value_of(x), 1, 2, Border::kSlice), {rows}), streamed));
  EXPECT_FALSE(derives(g.graph(), group(tiles(value_of(x), 2, 1), computed(0, 1)), streamed));
}

TEST(Derive, AddsUpOnceWhatIsComputedAgain) {
  testing::TestGraph g(1);
  const TensorId a = g.depthwise(g.input({1, 6, 5, 2}), 3, 1);
  const TensorId pooled = g.mean(a), y = g.depthwise(a, 3, 1);
  g.output(pooled);
  g.output(y);
  const Member rows =
      group(tiles(value_of(y), 1, 2, Border::kRoll, {{value_of(a), Border::kRecompute}}),
            {call(0), call(1, Method::kAccumulate), call(2)});
  EXPECT_EQ(fault_of_members(g.graph(), {rows, call(1, Method::kFinalise)}), "");
}

TEST(Derive, KeepsColumnsThatNobodyNeeds) {
  testing::TestGraph g(1);
  const TensorId a = g.depthwise(g.input({1, 7, 9, 2}), 1, 1);
  const TensorId y = g.depthwise(g.conv(a, 4, 1, 2), 3, 1);
  g.output(y);
  const Graph& graph = g.graph();
  const TensorId b = graph.ops[1].outputs[0];
  for (const int64_t columns : {1, 2, 5}) {
    const Member sweep =
        group(tiles(value_of(y), 1, 2, Border::kRoll, {{value_of(b), Border::kRecompute}}),
              {group(tiles(value_of(y), 2, columns), computed(0, 3))});
    EXPECT_EQ(fault_of_members(graph, {sweep}), "") << columns;
  }
}

TEST(Derive, HoldsPixelsForReadersThatComputeAgain) {
  testing::TestGraph g(1);
  const TensorId a = g.depthwise(g.input({1, 7, 8, 2}), 3, 1);
  const TensorId b = g.depthwise(a, 1, 1), y = g.depthwise(b, 3, 1);
  g.output(y);
  for (const int64_t columns : {1, 2, 5}) {
    const std::vector<std::pair<ValueId, Border>> recomputed = {{value_of(b), Border::kRecompute}};
    const Member by_columns =
        group(tiles(value_of(y), 1, 1),
              {group(tiles(value_of(y), 2, columns, Border::kRoll, recomputed), computed(0, 3))});
    EXPECT_EQ(fault_of_members(g.graph(), {by_columns}), "") << columns;
    const Member by_rows = group(tiles(value_of(y), 1, 1, Border::kRoll, recomputed),
                                 {group(tiles(value_of(y), 2, columns), computed(0, 3))});
    EXPECT_EQ(fault_of_members(g.graph(), {by_rows}), "") << columns;
  }
}

TEST(Derive, HoldsPixelsForReadersOfSeveralRowsATile) {
  for (const bool align_corners : {false, true}) {
    testing::TestGraph g(1);
    const TensorId a = g.depthwise(g.input({1, 7, 6, 1}), 1, 1);
    const TensorId y = g.resize(a, ResizeBilinear{align_corners, false}, 14, 7);
    g.output(y);
    for (const int64_t columns : {1, 3, 5}) {
      const Member pixels =
          group(tiles(value_of(y), 1, 2), {group(tiles(value_of(y), 2, columns), computed(0, 2))});
      EXPECT_EQ(fault_of_members(g.graph(), {pixels}), "") << columns;
    }
  }
}

}  // namespace
}  // namespace thimble
