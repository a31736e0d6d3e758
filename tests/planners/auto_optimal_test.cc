// SPDX-License-Identifier: Apache-2.0
// `auto` against the least of all plans (all_plans.h) of small random networks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/planners/small_network.h"
#include "tests/support/random_plan.h"
#include "tests/support/workload.h"
#include "thimble/plan/build.h"
#include "thimble/plan/placement.h"
#include "thimble/planners/registry.h"

namespace thimble::testing {
namespace {

constexpr double kAnyRecomputation = 1e6;

struct Comparison {
  int networks = 0, worse = 0;
  double largest = 1;  ///< the planner's arena / that of the least plan
};

/// The planner's plan, as it is placed.
Placement planned(const SmallCase& c, double max_recompute) {
  const Limits limits{.max_recompute = max_recompute,
                      .ports = c.ports,
                      .max_latency = std::numeric_limits<double>::infinity()};
  const auto planned = std::get<Planned>(choose_planner("auto").planner->plan(c.graph, limits, {}));
  return place(c.graph, planned.schedule(), {});
}

/// The planner's arena, and that of the least of all plans: overlaps one after the other may ask
/// for more than its peak.
void compare(SmallCase& c, double max_recompute, Comparison& result) {
  const int64_t bytes = planned(c, max_recompute).arena_bytes();
  const std::optional<LeastPlan> better = c.plans.least(bytes, max_recompute > 0);
  ++result.networks;
  if (!better) return;
  const int64_t least = place(c.graph, build(c.flow, better->plan), {}).arena_bytes();
  if (bytes <= least) return;
  ++result.worse;
  const double ratio = static_cast<double>(bytes) / static_cast<double>(least);
  result.largest = std::max(result.largest, ratio);
  fmt::print("{} operators, {}recomputing: {} B instead of {} ({:.3f})\n", c.graph.ops.size(),
             max_recompute > 0 ? "" : "not ", bytes, least, ratio);
  fmt::print("{}", text(c.graph, better->plan));
}

TEST(AutoOptimal, IsTheLeastOfAllPlans) {
  Comparison recomputing, once;
  for (uint64_t seed = 1; seed <= random_cases(40, 100); ++seed) {
    SCOPED_TRACE(seed);
    SmallCase c(seed);
    // Beyond, some have hundreds of thousands of groups.
    if (!workload().nightly && c.graph.ops.size() > 9) continue;
    compare(c, kAnyRecomputation, recomputing);
    compare(c, 0, once);
    std::fflush(stdout);
  }
  for (const Comparison& comparison : {recomputing, once}) {
    fmt::print("{} of {} networks have a better plan, by up to {:.3f}\n", comparison.worse,
               comparison.networks, comparison.largest);
    // What is reached (docs/planners.md): some bytes of networks that need a few dozen.
    EXPECT_LE(comparison.worse * 20, comparison.networks);
    EXPECT_LE(comparison.largest, 1.07);
  }
}

}  // namespace
}  // namespace thimble::testing
