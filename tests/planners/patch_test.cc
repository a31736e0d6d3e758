// SPDX-License-Identifier: Apache-2.0
// Which part of a network patches can execute, what a patch needs, and what the planner answers.
#include "thimble/planners/patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/support/test_graph.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/planners/patch_stage.h"
#include "thimble/planners/whole_operators.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

// x 24x24x8 -> conv 3x3/2 -> t 12x12x16 -> depthwise 3x3 -> u; t + u -> y -> conv 1x1 -> z
Graph residual_network() {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 24, 24, 8});
  const TensorId t = g.conv(x, 16, 3, 2);
  const TensorId u = g.depthwise(t, 3, 1);
  const TensorId y = g.add(t, u);
  g.output(g.conv(y, 4, 1, 1));
  Graph graph = g.graph();
  for (size_t k = 0; k < graph.ops.size(); ++k) graph.ops[k].file_index = static_cast<int>(k);
  return graph;
}

std::string refusal(const Graph& graph, OpId last) {
  const auto stage = PatchAnalysis(graph).stage_up_to(last);
  const auto* why = std::get_if<std::string>(&stage);
  return why == nullptr ? "" : *why;
}

PatchStage stage_up_to(const Graph& graph, OpId last) {
  return std::get<PatchStage>(PatchAnalysis(graph).stage_up_to(last));
}

std::string error_of(const Graph& graph, const Limits& limits, const PlannerOptions& options) {
  try {
    (void)plan_patch(graph, limits, options);
  } catch (const CompileError& error) {
    return error.what();
  }
  return "";
}

Planned planned(const Graph& graph, const PlannerOptions& options) {
  return std::get<Planned>(plan_patch(graph, {}, options));
}

TEST(PatchStage, EndsOnlyWhereNothingElseIsReadBehindIt) {
  const Graph graph = residual_network();
  EXPECT_EQ(refusal(graph, {0}), "");
  EXPECT_THAT(refusal(graph, {1}), HasSubstr("is read behind it, by ADD #2"));
  EXPECT_EQ(stage_up_to(graph, {2}).ops, (std::vector<OpId>{{0}, {1}, {2}}));
}

TEST(PatchStage, HoldsNoOutputOfTheNetworkInside) {
  Graph graph = residual_network();
  graph.outputs.push_back({graph.ops[0].outputs[0], {}});
  EXPECT_EQ(refusal(graph, {0}), "");
  EXPECT_THAT(refusal(graph, {2}), HasSubstr("CONV_2D #0 before it makes an output"));
}

TEST(PatchStage, EndsWithAnImage) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 4, 4, 2});
  g.output(g.fully_connected(g.reshape(x, {1, 32}), 3));
  EXPECT_THAT(refusal(g.graph(), {0}), HasSubstr("1x32, is no image"));
}

TEST(PatchGrid, LeavesTheLastPatchesSmallerAndNoneEmpty) {
  EXPECT_EQ(patch_grid({1, 10, 28, 4}, 4), (PatchGrid{3, 7, 4, 4}));
  EXPECT_EQ(patch_grid({1, 9, 5, 4}, 4), (PatchGrid{3, 2, 3, 3}));  // not 4: 3 times 3 is all
  EXPECT_EQ(patch_grid({1, 49, 1, 4}, 7), (PatchGrid{7, 1, 7, 1}));
}

TEST(PatchRegions, GrowByTheHaloAndFollowBothLoops) {
  const Graph graph = residual_network();
  PatchAnalysis analysis(graph);
  const PatchStage stage = stage_up_to(graph, {2});
  const PatchGrid grid = patch_grid({1, 12, 12, 16}, 3);
  const auto regions = std::get<PatchRegions>(analysis.regions(stage, grid));
  const TensorId t = graph.ops[0].outputs[0];
  const RegionExpr& halo = regions.of[t.index()];
  EXPECT_EQ(halo[1], (IntervalExpr{index(kPatchRow, 4, -1), index(kPatchRow, 4, 5)}));
  EXPECT_EQ(halo[2], (IntervalExpr{index(kPatchColumn, 4, -1), index(kPatchColumn, 4, 5)}));
  EXPECT_EQ(halo[3], (IntervalExpr{index(0), index(16)}));
  const Buffer slice = analysis.slice(t, halo, grid);
  EXPECT_EQ(slice.extents, (Shape{1, 6, 6, 16}));
  EXPECT_EQ(slice.origin[1], index(kPatchRow, 4, -1));
}

TEST(PatchRegions, TwoPatchesNeedNoRoomForRowsOutsideTheTensor) {
  const Graph graph = residual_network();
  PatchAnalysis analysis(graph);
  const PatchGrid grid = patch_grid({1, 12, 12, 16}, 2);
  const auto regions = std::get<PatchRegions>(analysis.regions(stage_up_to(graph, {2}), grid));
  const TensorId t = graph.ops[0].outputs[0];
  const Buffer slice = analysis.slice(t, regions.of[t.index()], grid);  // [0, 7) and [5, 12)
  EXPECT_EQ(slice.extents, (Shape{1, 7, 7, 16}));
  EXPECT_EQ(slice.origin[1], index(kPatchRow, 5));
}

TEST(PatchRegions, EndAtAnOperatorThatNeedsAllRows) {
  testing::TestGraph g(3);
  const TensorId x = g.input({1, 8, 8, 4});
  const TensorId t = g.conv(x, 8, 3, 1);
  g.output(g.add(t, g.depthwise(t, 8, 8)));  // 1x1x8, for every pixel
  PatchAnalysis analysis(g.graph());
  const PatchStage stage = stage_up_to(g.graph(), {2});
  const auto regions = analysis.regions(stage, patch_grid({1, 8, 8, 8}, 2));
  ASSERT_TRUE(std::holds_alternative<std::string>(regions));
  EXPECT_THAT(std::get<std::string>(regions), HasSubstr("needs more than a patch of its input"));
}

TEST(Patch, SaysWhatItRecomputes) {
  const Graph graph = residual_network();
  const Planned answer = planned(graph, {{"patches", "2"}, {"split", "2"}});
  EXPECT_TRUE(recomputes(answer.schedule));
  // Of 12 rows of the convolution's output 7 + 7 are computed, of columns likewise.
  EXPECT_EQ(macs(graph, answer.schedule) - macs(graph),
            macs(graph, graph.ops[0]) / 144 * (14 * 14 - 144));
  const auto& patches = std::get<note::Patches>(answer.notes[0]);
  EXPECT_EQ((std::array{patches.down, patches.across, patches.rows, patches.columns}),
            (std::array<int64_t, 4>{2, 2, 6, 6}));
  EXPECT_EQ(patches.last, OpId{2});
  EXPECT_EQ(patches.recomputed_macs, macs(graph, answer.schedule) - macs(graph));
}

TEST(Patch, ChoosesNoMoreThanWholeOperatorsNeed) {
  const Graph graph = residual_network();
  const Planned answer = planned(graph, {});
  const Order whole = reorder(order_problem(graph, true));
  EXPECT_LT(answer.lower_bound_bytes, whole.peak_bytes);
  EXPECT_GT(answer.schedule.loop_count, 0);
}

TEST(Patch, LeavesTheNetworkWholeWherePatchesGainNothing) {
  testing::TestGraph g(3);
  g.output(g.conv(g.input({1, 8, 8, 4}), 8, 1, 1));
  const auto answer = std::get<Planned>(plan_patch(g.graph(), {.in_place = false}, {}));
  EXPECT_FALSE(recomputes(answer.schedule));
  EXPECT_EQ(answer.schedule.loop_count, 0);
}

TEST(Patch, KeepsToTheMostThatMayBeRecomputed) {
  const Graph graph = residual_network();
  const PlannerOptions two = {{"patches", "2"}, {"split", "2"}};
  const auto all = static_cast<double>(macs(graph));
  const auto extra = static_cast<double>(macs(graph, planned(graph, two).schedule)) - all;
  EXPECT_EQ(error_of(graph, {.max_recompute = extra / all}, two), "");
  EXPECT_THAT(error_of(graph, {.max_recompute = extra / all - 0.001}, two),
              HasSubstr("--max-recompute: these patches recompute more"));
  const auto none = std::get<Planned>(plan_patch(graph, {.max_recompute = 0}, {}));
  EXPECT_EQ(macs(graph, none.schedule), macs(graph));
}

TEST(Patch, SaysNoWithTheBoundAndItsCause) {
  const Graph graph = residual_network();
  const PlannerOptions two = {{"patches", "2"}, {"split", "2"}};
  const int64_t least = planned(graph, two).lower_bound_bytes;
  EXPECT_TRUE(std::holds_alternative<Planned>(plan_patch(graph, {.sram_bytes = least}, two)));
  const auto no = std::get<Infeasible>(plan_patch(graph, {.sram_bytes = least - 1}, two));
  EXPECT_EQ(no.lower_bound_bytes, least);
  EXPECT_THAT(no.reason, HasSubstr("with 2 x 2 patches, split behind ADD #2, a patch needs"));
}

TEST(Patch, RefusesPatchesOfNetworksWithoutImages) {
  testing::TestGraph g(1);
  g.output(g.fully_connected(g.input({1, 16}), 3));
  EXPECT_THAT(error_of(g.graph(), {}, {{"patches", "2"}}),
              HasSubstr("there is nothing to execute in patches: the network cannot be split"));
  EXPECT_FALSE(recomputes(planned(g.graph(), {}).schedule));
}

TEST(Patch, RefusesWishesThatCannotBe) {
  const Graph graph = residual_network();
  EXPECT_THAT(error_of(graph, {}, {{"patches", "1"}}), HasSubstr("is not a number of at least 2"));
  EXPECT_THAT(error_of(graph, {}, {{"split", "two"}}), HasSubstr("split=two is not a number"));
  EXPECT_THAT(error_of(graph, {}, {{"split", "9"}}), HasSubstr("no operator of the network"));
  EXPECT_THAT(error_of(graph, {}, {{"split", "1"}}),
              HasSubstr("cannot be split behind DEPTHWISE_CONV_2D #1: the output of CONV_2D #0"));
  EXPECT_THAT(error_of(graph, {}, {{"accounting", "mine"}}), HasSubstr("neither paper nor exact"));
}

}  // namespace
}  // namespace thimble
