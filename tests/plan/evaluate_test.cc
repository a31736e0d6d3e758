// SPDX-License-Identifier: Apache-2.0
// What groups cost without steps, beside what the schedules that are built from them do: patches of
// the first operators of several networks.
#include "thimble/plan/evaluate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "thimble/moves/patches.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/build.h"
#include "thimble/rewrites/rewrites.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

class EvaluatedGroups : public ::testing::TestWithParam<const char*> {};

/// Largest sum of bytes that live together while the schedule executes, ports left out.
int64_t live_inside(const Schedule& schedule, const std::vector<BufferId>& outside) {
  const std::vector<LiveRange> ranges = live_ranges(schedule);
  int64_t most = 0;
  for (const LiveRange& at : ranges) {
    int64_t bytes = 0;
    for (size_t b = 0; b < ranges.size(); ++b) {
      const bool counts =
          std::ranges::find(outside, BufferId{static_cast<int32_t>(b)}) == outside.end();
      if (counts && ranges[b].begin <= at.begin && at.begin < ranges[b].end)
        bytes += schedule.buffers[b].size_bytes();
    }
    most = std::max(most, bytes);
  }
  return most;
}

BufferId buffer_of(const Schedule& schedule, TensorId tensor) {
  const auto it = std::ranges::find(schedule.buffers, tensor, &Buffer::tensor);
  return {static_cast<int32_t>(it - schedule.buffers.begin())};
}

TEST_P(EvaluatedGroups, CostInPatchesWhatTheirSchedulesDo) {
  const Graph graph = rewrite(build_zoo(GetParam()));
  const AxisGraph axes(graph);
  const Instances instances = instances_of(graph, {});
  const Dataflow flow(axes, instances);
  int groups = 0;
  for (int last = 0; last < static_cast<int>(graph.ops.size()); ++last) {
    const auto found = stage_up_to(flow, {last});
    const auto* stage = std::get_if<PatchStage>(&found);
    if (stage == nullptr) continue;
    for (const int64_t patches : {2, 3, 5, 8}) {
      const PatchGrid grid = patch_grid(flow.shape(stage->split), patches);
      const Group group = in_patches(*stage, stage->instances, grid);
      const std::optional<Derived> derived = derive(flow, group);
      if (!derived) continue;
      SCOPED_TRACE(fmt::format("{} patches behind {}", patches, last));
      const Plan plan{
          .instances = instances, .members = {Member{group}}, .overlaps = {}, .accumulators = {}};
      const Schedule schedule = build(flow, plan);
      EXPECT_EQ(work(flow, *derived).macs, macs(graph, schedule));
      std::vector<BufferId> outside = schedule.inputs;
      outside.insert(outside.end(), schedule.outputs.begin(), schedule.outputs.end());
      outside.push_back(buffer_of(schedule, instances.value(stage->split).tensor));
      EXPECT_EQ(group_bytes(flow, *derived).inner, live_inside(schedule, outside));
      EXPECT_EQ(derived->loops[0].clock.tiles, grid.down > 1 ? grid.down : grid.across);
      EXPECT_EQ(derived->loops.back().clock.tiles, grid.across > 1 ? grid.across : grid.down);
      ++groups;
    }
  }
  EXPECT_GE(groups, 8);
}

INSTANTIATE_TEST_SUITE_P(Zoo, EvaluatedGroups,
                         ::testing::Values("demo", "resnet8", "micronet_vww_2", "mobilenet_v2",
                                           "squeezenet", "unet", "res15"),
                         [](const auto& network) { return std::string(network.param); });

}  // namespace
}  // namespace thimble
