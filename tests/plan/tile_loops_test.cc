// SPDX-License-Identifier: Apache-2.0
// Plans written by hand: their buffers, computed here, and what executes (docs/ir.md).
#include <gtest/gtest.h>

#include "tests/plan/hand_plans.h"
#include "tests/support/test_graph.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/placement.h"

namespace thimble {
namespace {

using testing::call;
using testing::computed;
using testing::fault_of;
using testing::group;
using testing::tiles;
using testing::value_of;

/// The first operators of MobileNetV2 1.0 224.
struct FirstBlocks {
  testing::TestGraph graph{1};
  TensorId x, conv, depthwise, project, expand, depthwise_2, y;

  explicit FirstBlocks(int64_t size) {
    x = graph.input({1, size, size, 3});
    conv = graph.conv(x, 32, 3, 2);
    depthwise = graph.depthwise(conv, 3, 1);
    project = graph.conv(depthwise, 16, 1, 1);
    expand = graph.conv(project, 96, 1, 1);
    depthwise_2 = graph.depthwise(expand, 3, 2);
    y = graph.conv(depthwise_2, 24, 1, 1);
    graph.output(y);
  }
  [[nodiscard]] Plan plan(TileLoop rows, TileLoop columns) const {
    return {.instances = instances_of(graph.graph(), {}),
            .members = {group(std::move(rows), {group(std::move(columns), computed(0, 6))})},
            .overlaps = {{value_of(y), value_of(x)}},
            .accumulators = {}};
  }
};

int64_t peak_bytes(const Graph& graph, const Plan& plan) {
  return place(graph, build(graph, plan), {}).arena().peak_bytes;
}

TEST(TileLoops, RollsRowsAndPixels) {
  const FirstBlocks net(224);
  const Graph& graph = net.graph.graph();
  const Plan rows{.instances = instances_of(graph, {}),
                  .members = {group(tiles(value_of(net.y), 1, 0), computed(0, 6))},
                  .overlaps = {{value_of(net.y), value_of(net.x)}},
                  .accumulators = {}};
  EXPECT_EQ(peak_bytes(graph, rows), 204'288);
  const Plan pixels = net.plan(tiles(value_of(net.y), 1, 0), tiles(value_of(net.y), 2, 0));
  EXPECT_EQ(peak_bytes(graph, pixels), 179'728);
}

TEST(TileLoops, ComputesAWideTensorAgainFromARingOfANarrowOne) {
  const FirstBlocks net(224);
  const Graph& graph = net.graph.graph();
  const Plan plan = net.plan(tiles(value_of(net.depthwise_2), 1, 1, Border::kRoll,
                                   {{value_of(net.expand), Border::kRecompute}}),
                             tiles(value_of(net.depthwise_2), 2, 0));
  EXPECT_EQ(peak_bytes(graph, plan), 150'528 + 7'552 + 64 + 1'840 + 864 + 96);
  EXPECT_EQ(fault_of(graph, build(graph, plan)), "");
}

// a 4 rows, b 3, c, d and u 1 each; y over x.
TEST(TileLoops, RollDownAndUpAgain) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 97, 97, 16});
  const TensorId a = g.conv(x, 16, 3, 1), b = g.depthwise(a, 3, 2), c = g.conv(b, 16, 3, 1);
  const TensorId u = g.resize(g.add(b, c), ResizeNearestNeighbor{}, 97, 97);
  const TensorId y = g.add(a, u);
  g.output(y);
  const Plan plan{.instances = instances_of(g.graph(), {}),
                  .members = {group(tiles(value_of(y), 1, 1), computed(0, 6))},
                  .overlaps = {{value_of(y), value_of(x)}},
                  .accumulators = {}};
  const int64_t row = 97 * 16, half = 49 * 16;
  EXPECT_EQ(peak_bytes(g.graph(), plan), 97 * row + 4 * row + (3 + 1 + 1) * half + row);
  EXPECT_EQ(fault_of(g.graph(), build(g.graph(), plan)), "");
}

// 3 rows of one channel of e, a row of one of d, sums of y; x is the caller's.
TEST(TileLoops, RollRowsWithinChannels) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 64, 64, 8});
  const TensorId e = g.conv(x, 96, 1, 1);
  const TensorId d = g.depthwise(e, 3, 4);
  const TensorId y = g.conv(d, 16, 1, 1);
  g.output(y);
  const Member rows =
      group(tiles(value_of(e), 1, 1), {call(0), call(1), call(2, Method::kAccumulate)});
  const Plan plan{.instances = instances_of(g.graph(), {.input = Place::kUser}),
                  .members = {group(tiles(value_of(e), 3, 1, Border::kSlice), {rows}),
                              call(2, Method::kFinalise)},
                  .overlaps = {},
                  .accumulators = {}};
  EXPECT_EQ(peak_bytes(g.graph(), plan), 3 * 64 + 16 + 4 * 16 * 16 * 16);
  EXPECT_EQ(fault_of(g.graph(), build(g.graph(), plan)), "");
}

// Two strips of 8 columns; of a 9, of which two rows and three pixels are held.
TEST(TileLoops, TileColumnsTwice) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 16, 16, 4});
  const TensorId a = g.conv(x, 8, 3, 1), y = g.depthwise(a, 3, 1);
  g.output(y);
  const Member sweep =
      group(tiles(value_of(y), 1, 1), {group(tiles(value_of(y), 2, 1), computed(0, 2))});
  const Plan plan{.instances = instances_of(g.graph(), {}),
                  .members = {group(tiles(value_of(y), 2, 8, Border::kRecompute), {sweep})},
                  .overlaps = {},
                  .accumulators = {}};
  const Schedule schedule = build(g.graph(), plan);
  EXPECT_EQ(peak_bytes(g.graph(), plan), 16 * 16 * (4 + 8) + (2 * 9 + 3) * 8);
  EXPECT_EQ(macs(g.graph(), schedule), 16 * 18 * 9 * 4 * 8 + 16 * 16 * 9 * 8);
  EXPECT_EQ(fault_of(g.graph(), schedule), "");
}

TEST(TileLoops, OfHandWrittenPlansComputeWhatTheReferenceComputes) {
  for (const testing::HandPlan& hand : testing::hand_plans()) {
    SCOPED_TRACE(hand.name);
    const Schedule schedule = build(hand.graph, hand.plan);
    EXPECT_EQ(fault_of(hand.graph, schedule), "");
  }
}

// Pex's Figure 1: x, a channel of e and of d, sums of y; y lies over its sums.
TEST(TileLoops, ValuesLieOverTheirSums) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 13, 13, 24});
  const TensorId e = g.conv(x, 144, 1, 1);
  const TensorId y = g.conv(g.depthwise(e, 3, 1), 24, 1, 1);
  const TensorId z = g.add(x, y);
  g.output(z);
  const Member channels = group(tiles(value_of(e), 3, 1, Border::kSlice),
                                {call(0), call(1), call(2, Method::kAccumulate)});
  const Plan exact{.instances = instances_of(g.graph(), {}),
                   .members = {channels, call(2, Method::kFinalise), call(3)},
                   .overlaps = {{value_of(z), value_of(y)}},
                   .accumulators = {}};
  EXPECT_EQ(peak_bytes(g.graph(), exact), 4'056 + 2 * 169 + 4 * 4'056);
  EXPECT_EQ(fault_of(g.graph(), build(g.graph(), exact)), "");
  Plan narrow = exact;
  narrow.accumulators = {{.tensor = y, .type = DType::kInt8, .scale = 0.3F, .zero_point = 3}};
  EXPECT_EQ(peak_bytes(g.graph(), narrow), 8'450);
}

}  // namespace
}  // namespace thimble
