// SPDX-License-Identifier: Apache-2.0
// The search through all plans itself: what it answers is a plan, costs that, and is no worse than
// others.
#include "tests/planners/all_plans.h"

#include <gtest/gtest.h>

#include "tests/planners/small_network.h"
#include "tests/support/workload.h"
#include "thimble/moves/roll.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/build.h"
#include "thimble/plan/evaluate.h"
#include "thimble/plan/order_problem.h"
#include "thimble/planners/ports.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/search/best_cut.h"

namespace thimble::testing {
namespace {

/// The peak of rolled groups of the order of the network alone, as `stream` cuts it; without those
/// that go along columns and have rows within, which all_groups.h has none of.
int64_t least_rolled(const SmallCase& c) {
  const OrderProblem problem = order_problem(c.graph, c.instances, true);
  const std::vector<int> order = original_order(problem).ops;
  const RolledGroups rolls(c.flow, problem, order, {});
  std::vector<CutPiece> pieces;
  for (const Granularity granularity : {Granularity::kRow, Granularity::kPixel}) {
    for (const GroupCandidate& piece :
         rolls.all(rolls.single_bytes(), AllPlans::kMostInstances, granularity)) {
      if (piece.group.loop.axis == kColumnAxis) continue;
      pieces.push_back({piece.begin, piece.end, {.peak_bytes = piece.bytes}});
    }
  }
  return best_cut(rolls.single_bytes(), pieces).peak_bytes;
}

/// What the plan needs when it is placed, and executes without a fault.
int64_t verified_peak(const SmallCase& c, const Plan& plan) {
  Schedule schedule = build(c.flow, plan);
  EXPECT_EQ(malformed(c.graph, schedule), "");
  const Placement placement = place(c.graph, schedule, {});
  EXPECT_EQ(verify(c.graph, lower(c.graph, schedule, placement)).fault, "");
  return placement.arena().peak_bytes;
}

TEST(AllPlans, CostWhatTheySayAndAreNoWorseThanRolledOrders) {
  const size_t most_operators = workload().nightly ? 10 : 8;
  int better = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    SmallCase c(seed);
    if (c.graph.ops.size() > most_operators) continue;
    const int64_t rolled = least_rolled(c);
    int64_t before = rolled;
    for (const bool recomputes : {false, true}) {
      const std::optional<LeastPlan> least = c.plans.least(INT64_MAX, recomputes);
      ASSERT_TRUE(least);
      const Cost cost = evaluate(c.flow, least->plan);
      EXPECT_EQ(cost.peak_bytes, least->peak_bytes);
      EXPECT_EQ(cost.work.macs > macs(c.graph), least->recomputes);
      EXPECT_TRUE(recomputes || !least->recomputes);
      EXPECT_LE(verified_peak(c, least->plan), least->peak_bytes);
      EXPECT_LE(least->peak_bytes, before);
      better += least->peak_bytes < before ? 1 : 0;
      before = least->peak_bytes;
    }
  }
  EXPECT_GT(better, 5);
}

TEST(AllPlans, LackNothingThatALargerSpaceHas) {
  const size_t most_operators = workload().nightly ? 6 : 4;
  int networks = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    SmallCase c(seed);
    if (c.graph.ops.size() > most_operators) continue;
    ++networks;
    AllPlans larger(c.flow, AllPlans::Space::kLarger);
    for (const bool recomputes : {false, true}) {
      EXPECT_EQ(c.plans.least(INT64_MAX, recomputes)->peak_bytes,
                larger.least(INT64_MAX, recomputes)->peak_bytes)
          << recomputes;
    }
    EXPECT_GT(larger.asked(), c.plans.asked());
  }
  EXPECT_GT(networks, 5);
}

}  // namespace
}  // namespace thimble::testing
