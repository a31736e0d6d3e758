// SPDX-License-Identifier: Apache-2.0
// Random plans of random networks: whatever derive() accepts is a schedule that kernels can take
// and the verifier accepts, and it computes what the reference computes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/plan/hand_plans.h"
#include "tests/support/random_bring.h"
#include "tests/support/random_network.h"
#include "tests/support/random_plan.h"
#include "tests/support/workload.h"
#include "thimble/plan/bring_constants.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble {
namespace {

constexpr uint64_t kPlansPerGraph = 4;

/// Chains with branches, attention, and networks of all operators, some with ports in other orders
/// of axes, as the rewrites leave them.
Graph random_graph(uint64_t seed) {
  if (seed % 4 == 0) return testing::random_attention(seed);
  if (seed % 4 == 3) return rewrite(testing::random_network(seed));
  return seed % 2 == 0 ? testing::random_chain(seed) : testing::random_network(seed);
}

/// Calls visit(graph, axes, drawn) for random plans of random networks.
template <typename Visit>
void each_plan(uint64_t graphs, Visit visit, bool spills = false) {
  for (uint64_t seed = 0; seed < graphs && !::testing::Test::HasFailure(); ++seed) {
    const Graph graph = random_graph(seed);
    const AxisGraph axes(graph);
    zoo::Random random(seed);
    for (uint64_t k = 0; k < kPlansPerGraph; ++k) {
      const testing::RandomPlan drawn = testing::random_plan(axes, random, spills);
      SCOPED_TRACE(fmt::format("seed {}, plan {}\n{}", seed, k, testing::text(graph, drawn.plan)));
      visit(graph, axes, drawn);
    }
  }
}

TEST(RandomTileLoops, ComputeWhatTheReferenceComputes) {
  const uint64_t graphs = testing::random_cases(500 / testing::kOneIn, 20'000);
  int accepted = 0, nested = 0, sums = 0, deepest = 0, tiled_twice = 0, flat = 0, windows = 0;
  each_plan(graphs, [&](const Graph& graph, const AxisGraph&, const testing::RandomPlan& drawn) {
    accepted += drawn.accepted;
    nested += drawn.nested;
    sums += drawn.sums;
    tiled_twice += drawn.tiled_twice;
    flat += drawn.flat;
    windows += drawn.windows;
    deepest = std::max(deepest, drawn.deepest);
    EXPECT_EQ(testing::fault_of(graph, build(graph, drawn.plan)), "");
  });
  const auto plans = static_cast<int>(graphs * kPlansPerGraph);
  fmt::print("{} plans: {} groups, {} nested, {} sums, {} tiled twice, {} flat, {} windows\n",
             plans, accepted, nested, sums, tiled_twice, flat, windows);
  EXPECT_GT(accepted, 4 * plans);  // not trivial ones
  EXPECT_GT(nested, plans);
  EXPECT_GT(sums, plans / 5);
  EXPECT_GT(tiled_twice, plans / 5);
  EXPECT_GT(flat, plans / 10);
  // The sanitizers have a tenth of the networks, and windows are in few of them.
  EXPECT_GT(windows, testing::kOneIn == 1 ? plans / 10 : 0);
  EXPECT_EQ(deepest, 3);
}

TEST(RandomTileLoops, WithSpilledValuesComputeWhatTheReferenceComputes) {
  const uint64_t graphs = testing::random_cases(300 / testing::kOneIn, 20'000);
  int moved = 0, stored = 0, compressed = 0;
  each_plan(
      graphs,
      [&](const Graph& graph, const AxisGraph&, const testing::RandomPlan& drawn) {
        moved += drawn.moved;
        for (const Instance& instance : drawn.plan.instances.list)
          stored += drawn.plan.instances.stores(instance) ? 1 : 0;
        for (const Value& value : drawn.plan.instances.values)
          compressed += value.chunk_bytes > 0 ? 1 : 0;
        EXPECT_EQ(testing::fault_of(graph, build(graph, drawn.plan)), "");
      },
      true);
  const auto plans = static_cast<int>(graphs * kPlansPerGraph);
  fmt::print("{} plans: {} values stored, {} of them compressed, {} stores and fetches in loops\n",
             plans, stored, compressed, moved);
  EXPECT_GT(stored, plans / 2);
  EXPECT_GT(compressed, stored / 4);
  EXPECT_GT(moved, plans / 30);
}

TEST(RandomTileLoops, WithBroughtConstantsComputeWhatTheReferenceComputes) {
  const uint64_t graphs = testing::random_cases(300 / testing::kOneIn, 20'000);
  testing::BroughtCounts sum;
  uint64_t seed = 0;
  each_plan(
      graphs,
      [&](const Graph& graph, const AxisGraph& axes, const testing::RandomPlan& drawn) {
        Plan plan = drawn.plan;
        zoo::Random random(seed++);
        plan.memories.back().storage->most_in_flight = static_cast<int>(random.between(1, 4));
        const testing::BroughtCounts brought = testing::bring_at_random(axes, random, plan);
        sum.calls += brought.calls;
        sum.in_records += brought.in_records;
        sum.ahead += brought.ahead;
        sum.in_loops += brought.in_loops;
        const Schedule schedule = build(graph, plan);
        EXPECT_FALSE(too_many_in_flight(schedule));
        EXPECT_EQ(testing::fault_of(graph, schedule), "");
      },
      true);
  const auto plans = static_cast<int>(graphs * kPlansPerGraph);
  fmt::print("{} plans: constants of {} calls, {} in records, {} ahead, {} in loops\n", plans,
             sum.calls, sum.in_records, sum.ahead, sum.in_loops);
  EXPECT_GT(sum.calls, plans);
  EXPECT_GT(sum.in_records, plans / 30);
  EXPECT_GT(sum.ahead, plans / 3);
  EXPECT_GT(sum.in_loops, plans / 4);
}

TEST(RandomTileLoops, WithSpilledValuesCostWhatPlacementAndExecutionComeTo) {
  const uint64_t graphs = testing::random_cases(400 / testing::kOneIn, 20'000);
  uint64_t compared = 0;
  each_plan(
      graphs,
      [&](const Graph& graph, const AxisGraph& axes, const testing::RandomPlan& d) {
        Plan plan = d.plan;
        const Dataflow flow(axes, plan.instances);
        if (testing::keep_closed_leads(flow, plan) < 0) return;
        ++compared;
        Cost counted = evaluate(flow, plan);
        const Cost cost = testing::cost_of(graph, build(flow, plan));
        // An input that nobody reads has the time of an erase for itself.
        EXPECT_GE(counted.peak_bytes, cost.peak_bytes);
        if (plan.memories.back().storage->erase_bytes > 0) counted.peak_bytes = cost.peak_bytes;
        EXPECT_EQ(counted, cost);
      },
      true);
  EXPECT_GT(compared, graphs);
}

// Values that lie over inputs which a group of tiles of several rows, and no columns, consumes.
uint64_t leads_of_several_rows(const Dataflow& flow, const Plan& plan) {
  uint64_t found = 0;
  for (const Member& member : plan.members) {
    const auto* group = std::get_if<Group>(&member.what);
    if (group == nullptr) continue;
    const Derived derived = derive(flow, *group).value();
    const auto several = [](const TiledCall& call) { return call.beat.rows > call.beat.tiles; };
    if (derived.flat || derived.loops.size() != 1 ||
        std::ranges::none_of(derived.loops[0].clock.calls, several))
      continue;
    for (const InstanceCall& call : calls({member})) {
      const ValueId makes = plan.instances.instance(call.instance).makes;
      found += static_cast<uint64_t>(std::ranges::count(plan.overlaps, makes, &OverlapChoice::out));
    }
  }
  return found;
}

TEST(RandomTileLoops, CostWhatPlacementAndExecutionComeTo) {
  const uint64_t graphs = testing::random_cases(1'200 / testing::kOneIn, 60'000);
  uint64_t compared = 0, leads = 0, several = 0;
  each_plan(graphs, [&](const Graph& graph, const AxisGraph& axes, const testing::RandomPlan& d) {
    Plan plan = d.plan;
    const Dataflow flow(axes, plan.instances);
    const int closed = testing::keep_closed_leads(flow, plan);
    if (closed < 0) return;
    ++compared;
    leads += static_cast<uint64_t>(closed);
    several += leads_of_several_rows(flow, plan);
    EXPECT_EQ(evaluate(flow, plan), testing::cost_of(graph, build(flow, plan)));
  });
  EXPECT_GT(compared, 2 * graphs);
  EXPECT_GT(leads, graphs / 10);  // of rolled groups, which placement finds by the walk
  EXPECT_GT(several, graphs / 100);
}

}  // namespace
}  // namespace thimble
