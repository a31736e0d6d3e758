// SPDX-License-Identifier: Apache-2.0
// Random plans of random networks: whatever derive() accepts is a schedule that kernels can take
// and the verifier accepts, and it computes what the reference computes.
#include <gtest/gtest.h>

#include "tests/plan/hand_plans.h"
#include "tests/support/random_network.h"
#include "tests/support/random_plan.h"
#include "tests/support/workload.h"

namespace thimble {
namespace {

constexpr uint64_t kPlansPerGraph = 4;

/// Chains with branches, attention, and networks of all operators.
Graph random_graph(uint64_t seed) {
  if (seed % 4 == 0) return testing::random_attention(seed);
  return seed % 2 == 0 ? testing::random_chain(seed) : testing::random_network(seed);
}

TEST(RandomTileLoops, ComputeWhatTheReferenceComputes) {
  const uint64_t graphs = testing::random_cases(500 / testing::kOneIn, 20'000);
  int accepted = 0, nested = 0, sums = 0;
  for (uint64_t seed = 0; seed < graphs; ++seed) {
    const Graph graph = random_graph(seed);
    const AxisGraph axes(graph);
    zoo::Random random(seed);
    for (uint64_t k = 0; k < kPlansPerGraph; ++k) {
      const testing::RandomPlan drawn = testing::random_plan(axes, random);
      accepted += drawn.accepted;
      nested += drawn.nested;
      sums += drawn.sums;
      ASSERT_EQ(testing::fault_of(graph, build(graph, drawn.plan)), "")
          << "seed " << seed << ", plan " << k << "\n"
          << testing::text(graph, drawn.plan);
    }
  }
  const auto plans = static_cast<int>(graphs * kPlansPerGraph);
  EXPECT_GT(accepted, 4 * plans);  // not trivial ones
  EXPECT_GT(nested, plans / 4);
  EXPECT_GT(sums, plans / 4);
}

}  // namespace
}  // namespace thimble
