// SPDX-License-Identifier: Apache-2.0
// When each tile of a loop computes what, and how much of it is still needed.
#include "thimble/plan/clock.h"

#include <gtest/gtest.h>

#include "tests/support/short_plans.h"
#include "tests/support/test_graph.h"

namespace thimble {
namespace {

using testing::rolled;

constexpr LoopId kTile{0};

Interval at(const Clock& clock, size_t call, int64_t tile) {
  return evaluate(clock.calls[call].beat.interval(kTile), {tile});
}

std::vector<int64_t> rings(const Clock& clock) {
  std::vector<int64_t> result;
  for (const TiledCall& call : clock.calls) result.push_back(call.held);
  return result;
}

// The clock is t's: y rests at every second tile. t row 2 i + 2 is the last that row i of y reads.
TEST(Clock, BehindAStrideAMemberRests) {
  testing::TestGraph g(1);
  const TensorId t = g.conv(g.input({1, 16, 16, 2}), 3, 3, 2);
  g.output(g.conv(t, 2, 3, 2));
  const Clock clock = rolled(g.graph(), {0, 1}, kRowAxis).value();
  EXPECT_EQ(clock.tiles, 9);  // 8 rows of t, and one below it that is padding
  for (int64_t tile = 0; tile < 9; ++tile)
    EXPECT_EQ(at(clock, 0, tile), (Interval{tile, tile + 1}));
  EXPECT_TRUE(at(clock, 1, 1).empty());
  EXPECT_EQ(at(clock, 1, 2), (Interval{0, 1}));
  EXPECT_TRUE(at(clock, 1, 3).empty());
  EXPECT_EQ(at(clock, 1, 8), (Interval{3, 4}));
  EXPECT_EQ(rings(clock), (std::vector<int64_t>{3, 0}));
}

// y = t + depthwise 5x5 (t): the short branch waits, so t keeps rows i - 2 .. i + 2.
TEST(Clock, UnequalBranchesAreServedByTheDeeperOne) {
  testing::TestGraph g(2);
  const TensorId t = g.conv(g.input({1, 8, 8, 2}), 3, 1, 1);
  const TensorId u = g.depthwise(t, 5, 1);
  g.output(g.add(t, u));
  const Clock clock = rolled(g.graph(), {0, 1, 2}, kRowAxis).value();
  EXPECT_EQ(clock.tiles, 10);
  EXPECT_EQ(at(clock, 0, 0), (Interval{0, 1}));
  EXPECT_EQ(at(clock, 1, 2), (Interval{0, 1}));
  EXPECT_EQ(at(clock, 2, 9), (Interval{7, 8}));
  EXPECT_EQ(rings(clock), (std::vector<int64_t>{5, 1, 0}));
}

// Two output channels read one input channel: its producer fires at every second tile.
TEST(Clock, MultipliersLetAMemberRest) {
  testing::TestGraph g(6);
  const TensorId t = g.depthwise(g.input({1, 4, 4, 3}), 3, 1);
  const TensorId y = g.depthwise(t, 3, 1);
  g.graph().tensor(y).shape[3] = 6;
  std::get<DepthwiseConv2D>(g.graph().ops[1].attributes).multiplier = 2;
  g.output(y);
  const Clock clock = rolled(g.graph(), {0, 1}, 3).value();
  EXPECT_EQ(clock.tiles, 6);
  EXPECT_EQ(at(clock, 0, 2), (Interval{1, 2}));
  EXPECT_TRUE(at(clock, 0, 3).empty());
  EXPECT_EQ(rings(clock), (std::vector<int64_t>{1, 0}));
}

// Rows from the last to the first: the first tile needs what the producer makes last.
TEST(Clock, HasNoFormForASliceThatRunsBackwards) {
  testing::TestGraph g(7);
  const TensorId t = g.conv(g.input({1, 8, 8, 2}), 2, 3, 1);
  const TensorId y = g.depthwise(t, 1, 1);
  g.graph().ops[1] = {Slice{{0, 7, 0, 0}, {1, -1, 1, 1}, {}}, {t}, {y}, 1};
  EXPECT_FALSE(rolled(g.graph(), {0, 1}, kRowAxis).has_value());
  std::get<Slice>(g.graph().ops[1].attributes) = {{0, 0, 0, 0}, {1, 1, 1, 1}, {}};
  EXPECT_TRUE(rolled(g.graph(), {0, 1}, kRowAxis).has_value());
}

// A mean adds each row in the tile that makes it; nobody in the loop can read what is not complete.
TEST(Clock, MeansAddRowsAsTheyAreMade) {
  testing::TestGraph g(1);
  const TensorId t = g.conv(g.input({1, 8, 8, 2}), 3, 3, 1);
  const TensorId mean = g.mean(t), y = g.conv(mean, 2, 1, 1);
  const TensorId u = g.depthwise(t, 3, 1);
  g.output(y);
  g.output(u);
  const Instances instances = instances_of(g.graph(), {});
  const AxisGraph axes(g.graph());
  const Dataflow flow(axes, instances);
  const InstanceCall conv{.instance = {0}}, depthwise{.instance = {3}};
  const InstanceCall add{{1}, Method::kAccumulate}, finalise{{1}, Method::kFinalise};
  const TileLoop rows{.paced = {u.value}, .axis = kRowAxis};
  const Clock clock = clock_of(flow, {conv, add, depthwise}, rows).value();
  EXPECT_TRUE(clock.calls[1].reduces);
  for (int64_t tile = 0; tile < clock.tiles; ++tile)
    EXPECT_EQ(at(clock, 1, tile), at(clock, 0, tile));
  EXPECT_EQ(rings(clock), (std::vector<int64_t>{3, 0, 0}));
  const TileLoop behind{.paced = {y.value}, .axis = kRowAxis};
  EXPECT_FALSE(clock_of(flow, {conv, add, {.instance = {2}}}, behind));
  EXPECT_FALSE(clock_of(flow, {conv, add, finalise, {.instance = {2}}}, behind));
  EXPECT_FALSE(clock_of(flow, {conv, add, finalise, depthwise}, rows));
}

// Channels of y follow those of the mean, whose rows may still be added behind the loop.
TEST(Clock, WhatIsNotFinalisedIsNotRead) {
  testing::TestGraph g(2);
  const TensorId t = g.conv(g.input({1, 1, 8, 2}), 2, 1, 1);
  const TensorId mean = g.mean(t);
  const TensorId y = g.add(mean, mean);
  g.output(g.add(y, y));
  const Instances instances = instances_of(g.graph(), {});
  const AxisGraph axes(g.graph());
  const Dataflow flow(axes, instances);
  const TileLoop channels{.paced = {y.value}, .axis = 3};
  const InstanceCall add{.instance = {2}}, mean_rows{{1}, Method::kAccumulate};
  EXPECT_TRUE(clock_of(flow, {{.instance = {1}}, add}, channels));
  EXPECT_TRUE(clock_of(flow, {mean_rows, {{1}, Method::kFinalise}, add}, channels));
  EXPECT_FALSE(clock_of(flow, {mean_rows, add}, channels));
}

// u has two rows for each of t: t rests at every second tile, and u is a copy of its row.
TEST(Clock, AboveAnUpsamplingAMemberRests) {
  testing::TestGraph g(10);
  const TensorId t = g.conv(g.input({1, 8, 8, 2}), 3, 3, 1);
  const TensorId u = g.resize(t, ResizeNearestNeighbor{}, 16, 16);
  g.output(g.conv(u, 2, 3, 1));
  const Clock clock = rolled(g.graph(), {0, 1, 2}, kRowAxis).value();
  EXPECT_EQ(clock.tiles, 17);
  EXPECT_EQ(at(clock, 0, 0), (Interval{0, 1}));
  EXPECT_TRUE(at(clock, 0, 1).empty());
  EXPECT_EQ(at(clock, 0, 2), (Interval{1, 2}));
  for (int64_t tile = 0; tile < 16; ++tile)
    EXPECT_EQ(at(clock, 1, tile), (Interval{tile, tile + 1}));
  EXPECT_EQ(at(clock, 2, 16), (Interval{15, 16}));
  EXPECT_EQ(rings(clock), (std::vector<int64_t>{1, 3, 0}));
}

// e waits for what became of it at half its height: rows 2 i and 2 i + 1 of u need row i of d,
// which needs row 2 i + 2 of e.
TEST(Clock, AnEncoderTensorWaitsForTheDecoder) {
  testing::TestGraph g(11);
  const TensorId e = g.conv(g.input({1, 16, 16, 2}), 3, 1, 1);
  const TensorId d = g.depthwise(e, 3, 2);
  const TensorId u = g.resize(d, ResizeBilinear{}, 16, 16);
  g.output(g.add(e, u));
  const Clock clock = rolled(g.graph(), {0, 1, 2, 3}, kRowAxis).value();
  EXPECT_EQ(at(clock, 1, 2), (Interval{0, 1}));
  EXPECT_EQ(at(clock, 2, 3), (Interval{0, 1})) << "row 1 of u lies between rows 0 and 1 of d";
  EXPECT_EQ(rings(clock), (std::vector<int64_t>{4, 2, 1, 0}));
}

// A clock of many thousand tiles for a row helps nobody.
TEST(Clock, HasNoFormForRatiosOfLargeNumbers) {
  testing::TestGraph g(12);
  const TensorId t = g.conv(g.input({1, 4999, 1, 1}), 1, 1, 1);
  g.output(g.resize(t, ResizeNearestNeighbor{}, 5003, 1));
  EXPECT_FALSE(rolled(g.graph(), {0, 1}, kRowAxis).has_value());
}

TEST(Clock, RingsAreNeverLargerThanTheTensor) {
  testing::TestGraph g(3);
  const TensorId t = g.conv(g.input({1, 3, 3, 2}), 3, 1, 1);
  g.output(g.depthwise(t, 5, 1));
  EXPECT_EQ(rings(rolled(g.graph(), {0, 1}, kRowAxis).value()), (std::vector<int64_t>{3, 0}));
}

TEST(Clock, EndsWhereAnAxisIsNotFollowed) {
  testing::TestGraph g(4);
  const TensorId t = g.conv(g.input({1, 4, 4, 2}), 3, 1, 1);
  g.output(g.transpose(t, {0, 3, 1, 2}));
  g.output(g.conv(t, 3, 1, 1));
  EXPECT_FALSE(rolled(g.graph(), {0, 2}, 3).has_value()) << "channels are reduced";
}

// y = t + t transposed would need both the rows and the columns of t.
TEST(Clock, HasRowsAlongOneAxisOfEachTensor) {
  testing::TestGraph g(10);
  const TensorId t = g.conv(g.input({1, 4, 4, 2}), 3, 3, 1);
  const TensorId turned = g.transpose(t, {0, 2, 1, 3});
  g.output(g.depthwise(turned, 3, 1));
  const Clock clock = rolled(g.graph(), {0, 1, 2}, kRowAxis).value();
  EXPECT_EQ(clock.calls[0].axis, 2) << "columns of t are rows of what is made of it";
  EXPECT_EQ(clock.calls[1].axis, kRowAxis);
  EXPECT_EQ(rings(clock), (std::vector<int64_t>{1, 3, 0}));
  g.output(g.add(t, turned));
  EXPECT_FALSE(rolled(g.graph(), {0, 1, 3}, kRowAxis).has_value());
}

// What is read outside, too, is kept whole; a row of it is there when the deeper branch needs it,
// and the other branch goes on as early as that allows.
TEST(Clock, TensorsThatOthersReadAreWhole) {
  testing::TestGraph g(5);
  const TensorId t = g.conv(g.input({1, 8, 8, 2}), 3, 1, 1);
  const TensorId u = g.depthwise(t, 3, 1);
  const TensorId v = g.depthwise(t, 5, 1);
  g.output(g.add(u, v));
  g.output(t);
  const Clock clock = rolled(g.graph(), {0, 1, 2}, kRowAxis).value();
  EXPECT_EQ(rings(clock), (std::vector<int64_t>{0, 0, 0}));
  EXPECT_EQ(clock.tiles, 10);
  EXPECT_EQ(at(clock, 0, 2), (Interval{2, 3}));
  EXPECT_EQ(at(clock, 1, 1), (Interval{0, 1})) << "the 3x3 needs row 1";
  EXPECT_EQ(at(clock, 2, 2), (Interval{0, 1})) << "the 5x5 needs row 2";
}

// The camera's rows: one a tile, and the ring keeps what the window reads.
TEST(Clock, ReceivesRows) {
  testing::TestGraph g(8);
  const TensorId x = g.input({1, 16, 16, 3});
  g.output(g.conv(x, 4, 3, 2));
  const PortPlaces ports{.input = Place::kStreamed};
  ASSERT_FALSE(instances_of(g.graph(), ports).list[0].op.valid());
  const Clock clock = rolled(g.graph(), {0, 1}, kRowAxis, ports).value();
  EXPECT_EQ(clock.tiles, 17);
  EXPECT_EQ(at(clock, 0, 4), (Interval{4, 5}));
  EXPECT_EQ(at(clock, 1, 4), (Interval{1, 2}));
  EXPECT_EQ(rings(clock), (std::vector<int64_t>{3, 0}));
}

TEST(Clock, ClocksThatHaveNothingToDoWithEachOtherMakeNone) {
  testing::TestGraph g(9);
  g.output(g.conv(g.input({1, 4, 4, 2}), 2, 1, 1));
  g.output(g.conv(g.input({1, 4, 4, 2}), 2, 1, 1));
  EXPECT_FALSE(rolled(g.graph(), {0, 1}, kRowAxis).has_value());
}

}  // namespace
}  // namespace thimble
