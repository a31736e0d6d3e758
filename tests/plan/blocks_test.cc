// SPDX-License-Identifier: Apache-2.0
// Groups written down tile by tile: the blocks, the windows between them, and what has none.
#include "thimble/plan/blocks.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/plan/hand_plans.h"
#include "tests/support/test_graph.h"
#include "thimble/plan/derive.h"
#include "thimble/plan/placement.h"

namespace thimble {
namespace {

using testing::call;
using testing::computed;
using testing::fault_of;
using testing::group;
using testing::tiles;
using testing::value_of;

std::optional<Derived> derived(const Graph& graph, const Member& member,
                               const PortPlaces& ports = {}) {
  const AxisGraph axes(graph);
  const Instances instances = instances_of(graph, ports);
  return derive(Dataflow(axes, instances), std::get<Group>(member.what));
}

Plan plan_of(const Graph& graph, std::vector<Member> members) {
  return {.instances = instances_of(graph, {}),
          .members = std::move(members),
          .overlaps = {},
          .accumulators = {}};
}

/// x -> s -> depthwise d; s + d -> y -> e, in halves: docs/ir.md, "A residual in halves".
struct Residual {
  testing::TestGraph g{1};
  TensorId s, d, y, e;
  Member halves;

  Residual() {
    s = g.conv(g.input({1, 8, 8, 8}), 16, 1, 1);
    d = g.depthwise(s, 3, 1);
    y = g.add(s, d);
    e = g.conv(y, 32, 1, 1);
    g.output(e);
    halves = group(tiles(value_of(e), 1, 4, Border::kBlocks), computed(0, 4));
  }
};

TEST(Blocks, OfAResidualAreHalvesAndTwoWindows) {
  const Residual net;
  const UnrolledTiles flat = derived(net.g.graph(), net.halves)->flat.value();
  std::vector<std::pair<TensorId, Interval>> rows;
  for (const Storage& storage : flat.storages) {
    const int64_t begin = storage.buffer.origin[1].base;
    rows.push_back({storage.buffer.tensor, {begin, begin + storage.buffer.extents[1]}});
  }
  const std::vector<std::pair<TensorId, Interval>> expected = {
      {net.s, {0, 4}}, {net.s, {4, 8}}, {net.s, {0, 5}}, {net.d, {0, 4}},
      {net.y, {0, 4}}, {net.s, {3, 8}}, {net.d, {4, 8}}, {net.y, {4, 8}}};
  EXPECT_TRUE(std::ranges::is_permutation(rows, expected));
  EXPECT_EQ(std::ranges::count_if(flat.steps, &UnrolledTiles::Step::joins), 4);
  EXPECT_EQ(flat.steps.size(), 2 * 4 + 4);
}

// Most is live while the second half of d is made: s1, its window of five rows, d1, and e, which is
// read outside: 512 + 640 + 512 + 2,048 B.
TEST(Blocks, AreFreedOneByOne) {
  const Residual net;
  const Graph& graph = net.g.graph();
  const Schedule blocks = build(graph, plan_of(graph, {net.halves}));
  EXPECT_EQ(place(graph, blocks, {}).arena().peak_bytes, 512 + 640 + 512 + 2'048);
  EXPECT_EQ(fault_of(graph, blocks), "");
  const Schedule whole = build(graph, plan_of(graph, computed(0, 4)));
  EXPECT_EQ(place(graph, whole, {}).arena().peak_bytes, 3 * 1'024);
}

TEST(Blocks, AreReadInPlaceWhereWindowsCrossNoBorder) {
  testing::TestGraph g(1);
  const TensorId a = g.conv(g.input({1, 8, 8, 4}), 8, 1, 1), y = g.conv(a, 8, 1, 1);
  g.output(y);
  const Member parts = group(tiles(value_of(y), 1, 3, Border::kBlocks), computed(0, 2));
  const UnrolledTiles flat = derived(g.graph(), parts)->flat.value();
  EXPECT_EQ(std::ranges::count_if(flat.steps, &UnrolledTiles::Step::joins), 0);
  EXPECT_EQ(flat.storages.size(), 3);
  EXPECT_EQ(flat.storages.back().buffer.extents[1], 2);
}

TEST(Blocks, RefuseValuesThatRoll) {
  const Residual net;
  Member parts = net.halves;
  std::get<Group>(parts.what).loop.others = {{value_of(net.s), Border::kRoll}};
  EXPECT_FALSE(derived(net.g.graph(), parts));
}

TEST(Blocks, RefuseLoopsInside) {
  const Residual net;
  const Graph& graph = net.g.graph();
  const auto within = [&](Border border) {
    return group(tiles(value_of(net.e), 1, 4, Border::kBlocks),
                 {group(tiles(value_of(net.e), 2, 4, border), computed(0, 4))});
  };
  EXPECT_FALSE(derived(graph, within(Border::kBlocks)));
  EXPECT_FALSE(derived(graph, within(Border::kRoll)));  // a window of unfinished blocks
}

TEST(Blocks, RefuseStreams) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 8, 8, 4}), a = g.depthwise(x, 3, 1);
  g.output(g.depthwise(a, 3, 1));
  const Member parts = group(tiles(value_of(x), 1, 2, Border::kBlocks), computed(0, 2));
  EXPECT_FALSE(derived(g.graph(), parts, {.input = Place::kStreamed}));
}

TEST(Blocks, HoldChannelsInALoopInside) {
  testing::TestGraph g(1);
  const TensorId s = g.depthwise(g.input({1, 12, 8, 4}), 3, 1);
  const TensorId e = g.conv(s, 16, 1, 1), y = g.conv(g.depthwise(e, 1, 1), 4, 1, 1);
  const TensorId last = g.depthwise(y, 3, 1);
  g.output(last);
  const Member inner = group(tiles(value_of(e), 3, 4, Border::kSlice),
                             {call(1), call(2), call(3, Method::kAccumulate)});
  const Member outer = group(tiles(value_of(last), 1, 4, Border::kBlocks),
                             {call(0), inner, call(3, Method::kFinalise), call(4)});
  const UnrolledTiles flat = derived(g.graph(), outer)->flat.value();
  EXPECT_EQ(flat.loops.size(), 3);
  EXPECT_EQ(fault_of(g.graph(), build(g.graph(), plan_of(g.graph(), {outer}))), "");
}

}  // namespace
}  // namespace thimble
