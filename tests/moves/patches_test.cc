// SPDX-License-Identifier: Apache-2.0
// Which part of a network patches can execute, and what a patch needs.
#include "thimble/moves/patches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/test_graph.h"
#include "thimble/plan/derive.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

/// A network with what is derived of it.
struct Network {
  Graph graph;
  AxisGraph axes;
  Instances instances;
  Dataflow flow;

  explicit Network(Graph of)
      : graph(std::move(of)),
        axes(graph),
        instances(instances_of(graph, {})),
        flow(axes, instances) {}

  [[nodiscard]] PatchStage stage(int last) const {
    return std::get<PatchStage>(stage_up_to(flow, {last}));
  }
  [[nodiscard]] std::string refusal(int last) const {
    const auto stage = stage_up_to(flow, {last});
    const auto* why = std::get_if<std::string>(&stage);
    return why == nullptr ? "" : *why;
  }
  [[nodiscard]] std::optional<Derived> patches(int last, const PatchGrid& grid) const {
    const PatchStage made = stage(last);
    return derive(flow, in_patches(made, made.instances, grid));
  }
  [[nodiscard]] ValueId made_by(int instance) const {
    return instances.list[static_cast<size_t>(instance)].makes;
  }
};

TEST(PatchStage, EndsOnlyWhereNothingElseIsReadBehindIt) {
  const Network net(testing::residual_network());
  EXPECT_EQ(net.refusal(0), "");
  EXPECT_THAT(net.refusal(1), HasSubstr("is read behind it, by ADD #2"));
  EXPECT_EQ(net.stage(2).instances, (std::vector<InstanceId>{{0}, {1}, {2}}));
}

TEST(PatchStage, HoldsNoOutputOfTheNetworkInside) {
  Graph graph = testing::residual_network();
  graph.outputs.push_back({graph.ops[0].outputs[0], {}});
  const Network net(std::move(graph));
  EXPECT_EQ(net.refusal(0), "");
  EXPECT_THAT(net.refusal(2), HasSubstr("CONV_2D #0 before it makes an output"));
}

TEST(PatchStage, EndsWithAnImage) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 4, 4, 2});
  g.output(g.fully_connected(g.reshape(x, {1, 32}), 3));
  EXPECT_THAT(Network(g.graph()).refusal(0), HasSubstr("1x32, is no image"));
}

TEST(PatchGrid, LeavesTheLastPatchesSmallerAndNoneEmpty) {
  EXPECT_EQ(patch_grid({1, 10, 28, 4}, 4), (PatchGrid{3, 7, 4, 4}));
  EXPECT_EQ(patch_grid({1, 9, 5, 4}, 4), (PatchGrid{3, 2, 3, 3}));  // not 4: 3 times 3 is all
  EXPECT_EQ(patch_grid({1, 49, 1, 4}, 7), (PatchGrid{7, 1, 7, 1}));
}

TEST(Patches, GrowByTheHaloAndFollowBothLoops) {
  const Network net(testing::residual_network());
  const auto derived = net.patches(2, patch_grid({1, 12, 12, 16}, 3));
  ASSERT_TRUE(derived);
  const RegionExpr& halo = derived->steps[0].region;
  EXPECT_EQ(halo[1], (IntervalExpr{index(LoopId{0}, 4, -1), index(LoopId{0}, 4, 5)}));
  EXPECT_EQ(halo[2], (IntervalExpr{index(LoopId{1}, 4, -1), index(LoopId{1}, 4, 5)}));
  EXPECT_EQ(halo[3], (IntervalExpr{index(0), index(16)}));
  EXPECT_EQ(derived->storages[0].value, net.made_by(0));
  EXPECT_EQ(derived->storages[0].buffer.extents, (Shape{1, 6, 6, 16}));
  EXPECT_EQ(derived->storages[0].buffer.origin[1], index(LoopId{0}, 4, -1));
}

// What lies before the first row is cut off, and no tile comes before the first patch to make it.
TEST(Patches, HaveNoMoreTilesThanPatchesAndNoRoomForRowsOutsideTheTensor) {
  const Network net(testing::residual_network());
  const auto derived = net.patches(2, patch_grid({1, 12, 12, 16}, 2));
  ASSERT_TRUE(derived);
  EXPECT_EQ(derived->loops[0].clock.tiles, 2);
  EXPECT_EQ(derived->loops[1].clock.tiles, 2);
  const Buffer& slice = derived->storages[0].buffer;  // [0, 7) and [5, 12)
  EXPECT_EQ(slice.extents, (Shape{1, 7, 7, 16}));
  EXPECT_EQ(slice.origin[1], index(LoopId{0}, 5));
}

// The split value is full: a loop that says nothing of it does not compute it again either.
TEST(Patches, ComputeTheSplitValueOnce) {
  const Network net(testing::residual_network());
  const PatchStage stage = net.stage(2);
  const Group said = in_patches(stage, stage.instances, {.rows = 4, .columns = 12, .down = 3});
  Group unsaid = said;
  unsaid.loop.others.clear();
  const auto derived = derive(net.flow, unsaid);
  ASSERT_TRUE(derived);
  EXPECT_EQ(derived->loops[0].clock, derive(net.flow, said)->loops[0].clock);
  EXPECT_FALSE(derived->steps[2].recomputes);
}

TEST(Patches, LeaveOutRowsThatAStrideSkips) {
  testing::TestGraph g(2);
  const TensorId x = g.input({1, 16, 16, 4});
  const TensorId t = g.conv(x, 8, 3, 1);
  g.output(g.conv(t, 8, 1, 2));
  const Network net(g.graph());
  const auto derived = net.patches(1, patch_grid({1, 8, 8, 8}, 2));
  ASSERT_TRUE(derived);
  EXPECT_EQ(derived->steps[0].region[1],
            (IntervalExpr{index(LoopId{0}, 8), index(LoopId{0}, 8, 7)}));
  EXPECT_FALSE(derived->steps[0].recomputes);
}

TEST(Patches, NeedNoLoopThatRunsOnce) {
  testing::TestGraph g(2);
  const TensorId x = g.input({1, 16, 1, 4});
  g.output(g.depthwise(g.conv(x, 8, 1, 1), 1, 1));
  const Network net(g.graph());
  const auto derived = net.patches(1, patch_grid({1, 16, 1, 8}, 4));
  ASSERT_TRUE(derived);
  EXPECT_EQ(derived->loops.size(), 1U);
  EXPECT_EQ(derived->loops[0].clock.tiles, 4);
}

TEST(Patches, EndAtAnOperatorThatNeedsAllRows) {
  testing::TestGraph g(3);
  const TensorId x = g.input({1, 8, 8, 4});
  const TensorId t = g.conv(x, 8, 3, 1);
  g.output(g.add(t, g.depthwise(t, 8, 8)));  // 1x1x8, for every pixel
  const Network net(g.graph());
  const PatchGrid grid = patch_grid({1, 8, 8, 8}, 2);
  EXPECT_FALSE(net.patches(2, grid));
  EXPECT_THAT(patches_fault(net.flow, net.stage(2), grid),
              HasSubstr("ADD #2 needs more than a patch of its input"));
}

}  // namespace
}  // namespace thimble
