// SPDX-License-Identifier: Apache-2.0
// Groups of all tilings, of images large enough that the ends of rings fall everywhere: their
// instructions without a program are those of the program.
#include "bench/latency_plans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "bench/latency_networks.h"
#include "thimble/model/error.h"
#include "thimble/plan/build.h"
#include "thimble/plan/choose_kernels.h"
#include "thimble/plan/latency_estimate.h"
#include "thimble/plan/realise.h"
#include "thimble/program/estimate.h"
#include "thimble/program/lower.h"
#include "thimble/program/memory_fault.h"

namespace thimble {
namespace {

constexpr uint64_t kChains = 210;
constexpr int64_t kRoomBytes = int64_t{1} << 40;

/// Whether a loop stands inside of another along the same axis: strips.
bool tiles_twice(const std::vector<Member>& members, const std::vector<int>& around = {}) {
  return std::ranges::any_of(members, [&](const Member& member) {
    const auto* group = std::get_if<Group>(&member.what);
    if (group == nullptr) return false;
    std::vector<int> axes = around;
    axes.push_back(group->loop.axis);
    return std::ranges::find(around, group->loop.axis) != around.end() ||
           tiles_twice(group->members, axes);
  });
}

/// Calls visit(tiling, seed, graph, plan, flow) with chains tiled in all ways by turns.
template <class Visit>
void each_tiled_chain(const Visit& visit) {
  for (uint64_t seed = 0; seed < kChains; ++seed) {
    const auto tiling = static_cast<Tiling>(seed % static_cast<uint64_t>(Tiling::kCount));
    std::optional<Graph> graph;
    try {
      graph = latency_chain(seed);
    } catch (const InternalError&) {  // no scales
      continue;
    }
    zoo::Random random(seed);
    const AxisGraph axes(*graph);
    const std::optional<Plan> plan = latency_plan(axes, tiling, random);
    if (plan) visit(tiling, seed, *graph, *plan, Dataflow(axes, plan->instances));
  }
}

Schedule fastest(const Dataflow& flow, const Plan& plan, const Core& core,
                 const LatencyModel& model) {
  LatencyEstimate latency(flow, core, model);
  const Schedule portable = build(flow, plan);
  KernelSelection kernels(flow, plan, portable, latency);
  return with_kernels(flow, portable,
                      kernels.within({.live_bytes = kRoomBytes, .weight_bytes = {}}).kernels);
}

TEST(LatencyPlans, AreEstimatedAsTheirProgramsAre) {
  const Core core = core_named("cortex-m4");
  const LatencyModel model = latency_model("cortex-m4").value();
  std::vector<double> errors;
  std::set<Tiling> tilings;
  each_tiled_chain([&](Tiling tiling, uint64_t seed, const Graph& graph, const Plan& plan,
                       const Dataflow& flow) {
    tilings.insert(tiling);
    const Schedule schedule = fastest(flow, plan, core, model);
    const Program program = lower(graph, schedule, place(graph, schedule, {}));
    const double lowered = estimate(program, model).instructions;
    const LatencyEstimate few(flow, core, model);
    const double estimated = LatencyEstimate(flow, few, ScratchBudgets::kMany).plan(plan).value();
    errors.push_back(std::abs(estimated / lowered - 1));
    // In strips, whose widths differ, estimates are less exact.
    EXPECT_LT(errors.back(), tiles_twice(plan.members) ? 0.05 : 0.005)
        << name(tiling) << " " << seed;
  });
  EXPECT_EQ(tilings.size(), static_cast<size_t>(Tiling::kCount));
  std::ranges::sort(errors);
  EXPECT_LT(errors[errors.size() * 9 / 10], 1e-9);
}

/// A layer whose pieces take three kernels, two of which differ in scratch alone, had two constants
/// of one name, with the same values.
TEST(LatencyPlans, HaveEveryConstantOnce) {
  for (const char* core : {"cortex-m4", "cortex-m55"}) {
    size_t shared = 0;
    each_tiled_chain(
        [&](Tiling tiling, uint64_t seed, const Graph& graph, const Plan& plan, const Dataflow&) {
          const RealisedPlan found = realised(graph, plan, core_named(core), std::nullopt, {});
          const Program program = lower(graph, found.schedule, found.placement);
          EXPECT_EQ(memory_fault(program), "") << core << " " << name(tiling) << " " << seed;
          std::set<BufferId> used;
          for (const ProgramParams& params : program.params) {
            for (const BufferId constant : params.constants)
              shared += used.insert(constant).second ? 0 : 1;
          }
        });
    EXPECT_GT(shared, 0U) << core;
  }
}

}  // namespace
}  // namespace thimble
