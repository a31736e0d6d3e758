// SPDX-License-Identifier: Apache-2.0
// Instructions of plans against those of the same plans once they are lowered.
#include "thimble/plan/latency_estimate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "tests/plan/hand_plans.h"
#include "tests/support/golden.h"
#include "tests/support/random_network.h"
#include "tests/support/random_plan.h"
#include "tests/support/test_graph.h"
#include "tests/support/workload.h"
#include "thimble/import/tflite.h"
#include "thimble/plan/order_problem.h"
#include "thimble/plan/realise.h"
#include "thimble/planners/stream_cuts.h"
#include "thimble/planners/stream_orders.h"
#include "thimble/planners/stream_plan.h"
#include "thimble/program/estimate.h"
#include "thimble/program/lower.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble {
namespace {

constexpr int64_t kRoomBytes = int64_t{1} << 40;
constexpr int64_t kLayoutWork = 100'000;  // any layout will do

const Core& core() {
  static const Core m4 = core_named("cortex-m4");
  return m4;
}
const LatencyModel& model() {
  static const LatencyModel m4 = latency_model("cortex-m4").value();
  return m4;
}

struct Instructions {
  double planned = 0, lowered = 0;
};
Instructions instructions(const AxisGraph& axes, Plan plan) {
  const Instances instances = plan.instances;
  const Dataflow flow(axes, instances);
  const LatencyEstimate latency(flow, core(), model());
  PlacementOptions options;
  options.work = kLayoutWork;
  Realisation realisation(flow, latency, std::move(plan), options);
  const RealisedPlan found = realisation.with(realisation.live_within(kRoomBytes));
  const Program program = lower(flow.graph, found.schedule, found.placement);
  return {found.instructions, estimate(program, model()).instructions};
}

/// Relative.
double error(const AxisGraph& axes, const Plan& plan) {
  const auto [planned, lowered] = instructions(axes, plan);
  return planned / lowered - 1;
}

double quantile(std::vector<double> errors, double share) {
  for (double& error : errors) error = std::abs(error);
  std::ranges::sort(errors);
  return errors[static_cast<size_t>(share * static_cast<double>(errors.size() - 1))];
}

TEST(LatencyEstimate, OfPlansByHandIsThatOfTheirPrograms) {
  for (const testing::HandPlan& hand : testing::hand_plans()) {
    const AxisGraph axes(hand.graph);
    EXPECT_NEAR(error(axes, hand.plan), 0, 0.001) << hand.name;
  }
}

/// Chains with branches, attention, and networks of all operators.
Graph drawn_graph(uint64_t seed) {
  if (seed % 4 == 0) return testing::random_attention(seed);
  if (seed % 4 == 3) return rewrite(testing::random_network(seed));
  return seed % 2 == 0 ? testing::random_chain(seed) : testing::random_network(seed);
}

// Where the ends of a ring fall matters most in images of some pixels; and a layout may put a
// reshape's output elsewhere than over its input.
TEST(LatencyEstimate, OfRandomPlansIsThatOfTheirPrograms) {
  std::vector<double> errors;
  int kept = 0;
  for (uint64_t seed = 0; seed < testing::random_cases(400, 10'000); ++seed) {
    const Graph graph = drawn_graph(seed);
    const AxisGraph axes(graph);
    zoo::Random random(seed);
    for (int k = 0; k < 4; ++k) {
      const testing::RandomPlan drawn = testing::random_plan(axes, random);
      errors.push_back(error(axes, drawn.plan));
      kept += drawn.kept;
    }
  }
  EXPECT_GT(kept, 0);
  EXPECT_LT(quantile(errors, 0.9), 1e-6);
  EXPECT_LT(quantile(errors, 0.98), 0.02);
}

Plan stream_plan_of(const Dataflow& flow, std::vector<Granularity> granularities) {
  ChannelGroups channels(flow, DType::kInt32);
  const OrderProblem problem = order_problem(flow.graph, flow.instances, true);
  const StreamOptions options{.granularities = std::move(granularities), .rolls = {}};
  const std::vector<int> order = original_order(problem).ops;
  const StreamCut cut =
      StreamCuts(channels, problem, order, options).best(RolledGroups::kImpossible);
  return stream_plan(flow, problem, cut, true);
}

TEST(LatencyEstimate, OfPlansOfModelsIsThatOfTheirPrograms) {
  if (testing::golden_names().empty()) GTEST_SKIP() << "needs the models: set THIMBLE_SHARED";
  for (const std::string& name : testing::issue_models()) {
    const Graph graph = rewrite(import_tflite(testing::model_path(name)));
    const AxisGraph axes(graph);
    const Instances instances = instances_of(graph, {});
    const Dataflow flow(axes, instances);
    const std::vector<std::vector<Granularity>> cuts = {
        {}, {Granularity::kRow}, {Granularity::kRow, Granularity::kPixel}};
    for (const std::vector<Granularity>& cut : cuts)
      EXPECT_NEAR(error(axes, stream_plan_of(flow, cut)), 0, 0.001) << name << " " << cut.size();
  }
}

// Kernels with parameters of their own count as the portable row's parameters say.
TEST(LatencyEstimate, OfSingleOperatorsIsThatOfTheirPrograms) {
  if (testing::golden_names().empty()) GTEST_SKIP() << "needs the models: set THIMBLE_SHARED";
  int models = 0;
  for (const std::string& name : testing::golden_names()) {
    const Graph graph = rewrite(import_tflite(testing::model_path(name)));
    if (graph.ops.size() != 1) continue;
    const AxisGraph axes(graph);
    const Instances instances = instances_of(graph, {});
    const Dataflow flow(axes, instances);
    const Plan plan = stream_plan_of(flow, {});
    if (instructions(axes, plan).lowered == 0) continue;  // kernels that were never counted
    ++models;
    EXPECT_NEAR(error(axes, plan), 0, 0.001) << name;
  }
  EXPECT_GT(models, 10);
}

/// conv 3x3 -> depthwise 3x3 -> conv 1x1, 20 x 20 pixels.
struct Separable {
  testing::TestGraph g{1};
  TensorId conv, depthwise, project;
  Separable() {
    conv = g.conv(g.input({1, 20, 20, 3}), 16, 3, 1);
    depthwise = g.depthwise(conv, 3, 1);
    project = g.conv(depthwise, 8, 1, 1);
    g.output(project);
  }
};

/// Instructions of each call of a group, from the derived group and without.
struct BothWays {
  std::vector<double> derived, tiled;
};
BothWays both_ways(const Member& group, Lies inner) {
  const Separable net;
  const AxisGraph axes(net.g.graph());
  const Instances instances = instances_of(net.g.graph(), {});
  const Dataflow flow(axes, instances);
  const Derived derived = derive(flow, std::get<Group>(group.what)).value();
  LatencyEstimate estimate(flow, core(), model());
  BothWays result;
  size_t call = 0;
  for (size_t s = 0; s < derived.steps.size(); ++s) {
    if (derived.steps[s].kind != DerivedStep::Kind::kCall) continue;
    std::vector<LoopAround> loops;
    for (const DerivedLoop& loop : derived.loops)
      loops.push_back({loop.clock.calls[call], loop.clock.tiles});
    result.derived.push_back(estimate.call_times(derived)[s]->back().instructions);
    result.tiled.push_back(estimate
                               .tiled(derived.steps[s].call, loops,
                                      call == 0 ? Lies::kWhole : inner,
                                      call == 2 ? Lies::kWhole : inner)
                               .back()
                               .instructions);
    ++call;
  }
  return result;
}

TEST(LatencyEstimate, OfATiledCallIsThatOfTheDerivedOne) {
  using testing::tiles, testing::group, testing::computed;
  const ValueId conv = testing::value_of(Separable().conv);
  const ValueId y = testing::value_of(Separable().project);
  const BothWays rows = both_ways(group(tiles(y, 1, 1), computed(0, 3)), Lies::kRing);
  EXPECT_EQ(rows.derived, rows.tiled);
  const BothWays patches =
      both_ways(group(tiles(y, 1, 5, Border::kRecompute),
                      {group(tiles(y, 2, 5, Border::kRecompute), computed(0, 3))}),
                Lies::kTile);
  EXPECT_EQ(patches.derived, patches.tiled);
  const BothWays sweep =
      both_ways(group(tiles(y, 1, 4, Border::kRoll), {group(tiles(conv, 2, 1), computed(0, 3))}),
                Lies::kWindow);
  for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(sweep.tiled[k] / sweep.derived[k], 1, 0.02) << k;
  const BothWays pixels =
      both_ways(group(tiles(y, 1, 1), {group(tiles(y, 2, 1), computed(0, 3))}), Lies::kRing);
  for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(pixels.tiled[k] / pixels.derived[k], 1, 0.01) << k;
}

TEST(LatencyEstimate, TakesTheCoresKernels) {
  const Separable net;
  const AxisGraph axes(net.g.graph());
  const Instances instances = instances_of(net.g.graph(), {});
  const Dataflow flow(axes, instances);
  Core portable = core();
  portable.sets = {InstructionSet::kPortable};
  const InstanceCall project{.instance = {2}};
  EXPECT_LT(LatencyEstimate(flow, core(), model()).whole(project, false),
            LatencyEstimate(flow, portable, model()).whole(project, false));
}

}  // namespace
}  // namespace thimble
