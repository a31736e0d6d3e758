// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "thimble/schedule/schedule.h"

namespace thimble {
namespace {

constexpr LoopId kI{0}, kJ{1};
constexpr BufferId kA{0}, kB{1}, kC{2}, kD{3}, kE{4};

Buffer buffer(const IndexExpr& origin) {
  return {.tensor = {0}, .extents = {1}, .origin = {origin}, .wrap = {}, .order = {}};
}
Node copy(BufferId from, BufferId to) {
  return {Step{.op = {}, .region = {}, .chunk = {}, .in = {from}, .out = to}};
}

// 0: a -> b;  for j { 1: b -> c;  2: c -> d };  3: d -> e
Schedule nested(const IndexExpr& b, const IndexExpr& c) {
  Schedule schedule;
  schedule.buffers = {buffer(index(0)), buffer(b), buffer(c), buffer(index(0)), buffer(index(0))};
  schedule.loop_count = 2;
  const Loop inner{kJ, 3, {copy(kB, kC), copy(kC, kD)}};
  schedule.nodes = {{Loop{kI, 4, {copy(kA, kB), {inner}}}}, copy(kD, kE)};
  schedule.inputs = {kA};
  schedule.outputs = {kE};
  return schedule;
}

TEST(LiveRanges, OfNestedLoops) {
  const auto ranges = live_ranges(nested(index(kI, 1), index(kJ, 1)));
  EXPECT_EQ(ranges[kA.index()], (LiveRange{0, 3})) << "read in every iteration of i";
  EXPECT_EQ(ranges[kB.index()], (LiveRange{0, 3})) << "new for each i, kept through j";
  EXPECT_EQ(ranges[kC.index()], (LiveRange{1, 3})) << "new for each j";
  EXPECT_EQ(ranges[kD.index()], (LiveRange{0, 4}));
  EXPECT_EQ(ranges[kE.index()], (LiveRange{3, 4}));
}

TEST(LiveRanges, FollowingTheOuterLoopOnlyIsKeptThroughTheInnerOne) {
  EXPECT_EQ(live_ranges(nested(index(kI, 1), index(kI, 1)))[kC.index()], (LiveRange{1, 3}));
  EXPECT_EQ(live_ranges(nested(index(0), index(kJ, 1)))[kB.index()], (LiveRange{0, 3}));
}

TEST(LiveRanges, AnOriginThatStaysForTwoIterationsCarriesData) {
  const IndexExpr half{.base = 0, .terms = {{kJ, 1}}, .divisor = 2};
  EXPECT_EQ(live_ranges(nested(index(kI, 1), half))[kC.index()], (LiveRange{0, 3}));
}

TEST(LiveRanges, StreamedPortsLiveWhileRowsPass) {
  Schedule schedule = nested(index(kI, 1), index(kJ, 1));
  schedule.nodes.insert(schedule.nodes.begin(), copy(kD, kD));
  EXPECT_EQ(live_ranges(schedule)[kA.index()], (LiveRange{0, 4}));
  EXPECT_EQ(live_ranges(schedule)[kE.index()], (LiveRange{4, 5}));
  schedule.buffers[kA.index()].memory = schedule.buffers[kE.index()].memory = kStream;
  EXPECT_EQ(live_ranges(schedule)[kA.index()], (LiveRange{1, 4})) << "the loop that receives";
  schedule.nodes.push_back(copy(kD, kD));
  EXPECT_EQ(live_ranges(schedule)[kE.index()], (LiveRange{4, 5})) << "not to the end";
}

}  // namespace
}  // namespace thimble
