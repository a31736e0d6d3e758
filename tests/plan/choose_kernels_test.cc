// SPDX-License-Identifier: Apache-2.0
// Kernels of a core in place of the portable ones: where, at what cost in memory, and proved.
#include "thimble/plan/choose_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/hand_written.h"
#include "tests/support/random_network.h"
#include "tests/support/test_graph.h"
#include "thimble/model/error.h"
#include "thimble/plan/saved_plan.h"
#include "thimble/planners/planner.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

/// 1 x 1 convolutions of an image, one with a stride, and a 3 x 3.
Graph pointwise_network() {
  testing::TestGraph net(3);
  const TensorId x = net.input({1, 8, 8, 8});
  const TensorId wide = net.conv(x, 24, 1, 1);
  const TensorId narrow = net.conv(wide, 13, 1, 1);
  const TensorId window = net.conv(narrow, 8, 3, 1);
  net.output(net.conv(window, 6, 1, 2));
  return net.graph();
}

Schedule reordered(const Graph& graph) {
  return std::get<Planned>(choose_planner("reorder").planner->plan(graph, {}, {})).schedule;
}

int fast_steps(const Schedule& schedule) {
  int count = 0;
  for_each_step(schedule, [&](const Step& step, Position) { count += step.kernel.valid(); });
  return count;
}

void expect_right(const Graph& graph, const PlacedSchedule& placed) {
  ASSERT_EQ(malformed(graph, placed.schedule), "");
  const Program program = lower(graph, placed.schedule, placed.placement);
  ASSERT_EQ(verify(graph, program).fault, "");
  const std::vector<Bytes> inputs = testing::noise(graph, 1);
  EXPECT_EQ(execute(program, inputs), testing::expected_outputs(graph, inputs));
}

TEST(ChooseKernels, TakesTheCoresWhereThereIsRoom) {
  const Graph graph = pointwise_network();
  const Schedule schedule = reordered(graph);
  const PlacedSchedule roomy =
      place_with_kernels(graph, schedule, core_named("cortex-m4"), 64 * 1024, {});
  EXPECT_EQ(fast_steps(roomy.schedule), 4);
  expect_right(graph, roomy);
}

TEST(ChooseKernels, CostsNoArenaWithoutABudget) {
  const Graph graph = pointwise_network();
  const Schedule schedule = reordered(graph);
  const PlacedSchedule placed =
      place_with_kernels(graph, schedule, core_named("cortex-m4"), std::nullopt, {});
  EXPECT_GT(fast_steps(placed.schedule), 0);  // not at the peak, but behind it
  EXPECT_LT(fast_steps(placed.schedule), 4);
  EXPECT_LE(placed.placement.arena_bytes(), place(graph, schedule, {}).arena_bytes());
  expect_right(graph, placed);
}

TEST(ChooseKernels, LeavesOtherCoresThePortableOnes) {
  const Graph graph = pointwise_network();
  for (const char* core : {"cortex-m0", "cortex-m3", "unheard-of"}) {
    const PlacedSchedule placed =
        place_with_kernels(graph, reordered(graph), core_named(core), 64 * 1024, {});
    EXPECT_EQ(fast_steps(placed.schedule), 0) << core;
  }
}

// Slices of few channels and channels first.
TEST(ChooseKernels, LeavesThePiecesThatAFastKernelRefuses) {
  const testing::HandWritten rows = testing::row_span();
  const testing::HandWritten slices = testing::channel_loop();
  const testing::HandWritten turned = testing::turned_input();
  for (const testing::HandWritten* hand : {&rows, &slices, &turned}) {
    const PlacedSchedule placed =
        place_with_kernels(hand->graph, hand->schedule, core_named("cortex-m4"), 64 * 1024, {});
    expect_right(hand->graph, placed);
  }
}

TEST(ChooseKernels, EveryPlanOfRandomNetworksStaysRight) {
  int chosen = 0;
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    const Graph graph = testing::random_network(seed);
    for (const Planner& planner : planners()) {
      const auto planned = std::get<Planned>(planner.plan(graph, {}, {}));
      const PlacedSchedule placed =
          place_with_kernels(graph, planned.schedule, core_named("cortex-m4"), 1 << 20, {});
      chosen += fast_steps(placed.schedule);
      expect_right(graph, placed);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(chosen, 20);
}

TEST(NamedKernels, AreMalformedWhereTheyDoNotDoTheOperator) {
  const Graph graph = pointwise_network();
  Schedule schedule = reordered(graph);
  std::get<Step>(schedule.nodes[2].what).kernel = kernel_named("conv_2d_1x1_dsp");  // 3 x 3
  EXPECT_EQ(malformed(graph, schedule), "step 2: conv_2d_1x1_dsp does not do its operator");
  std::get<Step>(schedule.nodes[2].what).kernel = kernel_named("add");
  EXPECT_EQ(malformed(graph, schedule), "step 2: add does not do its operator");
}

TEST(NamedKernels, WantTheirScratchAligned) {
  const Graph graph = pointwise_network();
  Schedule schedule = with_kernels(graph, reordered(graph), core_named("cortex-m4"), 1 << 20);
  Buffer& scratch = schedule.buffers[std::get<Step>(schedule.nodes[0].what).scratch.index()];
  EXPECT_EQ(scratch.extents, Shape{8});  // words: two pixels of 8 channels in 16 bits
  EXPECT_EQ(scratch.type, DType::kInt32);
  const PlacedSchedule right{schedule, place(graph, schedule, {})};
  expect_right(graph, right);
  Program program = lower(graph, right.schedule, right.placement);
  for (PlacedBuffer& buffer : program.buffers) {
    if (buffer.memory == kArena && !buffer.tensor.valid()) ++buffer.address;
  }
  program.memories[kArena.index()].size_bytes += 4;
  EXPECT_THAT(verify(graph, program).fault, HasSubstr("of scratch, aligned to 4"));
  scratch.type = DType::kInt8;
  scratch.extents = {32};
  EXPECT_EQ(malformed(graph, schedule),
            "step 0: it needs 32 bytes of scratch in the arena, of int32");
}

TEST(NamedKernels, AreKeptInSavedPlans) {
  const Graph graph = pointwise_network();
  const Schedule schedule = with_kernels(graph, reordered(graph), core_named("cortex-m4"), 1 << 20);
  const PlacedPlan plan{.planner = "reorder",
                        .schedule = schedule,
                        .placement = place(graph, schedule, {}),
                        .accumulators = {},
                        .scale_source = ""};
  std::string json = to_json(plan, {});
  EXPECT_EQ(plan_from_json(json, "plan.json").plan.schedule, schedule);
  json.replace(json.find("conv_2d_pairs_dsp"), 17, "conv_2d_pairs_xyz");
  EXPECT_THROW((void)plan_from_json(json, "plan.json"), CompileError);
}

}  // namespace
}  // namespace thimble
