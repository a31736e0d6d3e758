// SPDX-License-Identifier: Apache-2.0
// Loops over channels wherever the rules allow them, gain or not: verified, and equal to the
// reference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/program/mutants.h"
#include "tests/support/random_network.h"
#include "tests/support/test_graph.h"
#include "tests/support/workload.h"
#include "thimble/operators/operators.h"
#include "thimble/planners/pex.h"
#include "thimble/planners/whole_operators.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/rewrites/rewrites.h"
#include "zoo/random.h"

namespace thimble {
namespace {

/// Convolutions and depthwise ones, additions where shapes allow it, a branch now and then.
Graph random_chain(uint64_t seed, zoo::Random& random) {
  testing::TestGraph g(seed);
  std::vector<TensorId> made = {
      g.input({1, random.between(2, 7), random.between(2, 7), random.between(1, 9)})};
  const auto shape = [&](TensorId t) { return g.graph().tensor(t).shape; };
  for (int64_t k = random.between(3, 9); k > 0; --k) {
    const TensorId x = made.back();
    const TensorId other =
        made[static_cast<size_t>(random.between(0, static_cast<int64_t>(made.size()) - 1))];
    const int64_t kind = random.between(0, 3);
    if (kind == 0 && shape(other) == shape(x)) {
      made.push_back(g.add(other, x));
    } else if (kind <= 1) {
      made.push_back(g.depthwise(x, random.between(1, 3), random.chance(0.2) ? 2 : 1));
    } else {
      made.push_back(g.conv(random.chance(0.1) ? other : x, random.between(2, 12),
                            random.chance(0.6) ? 1 : 3, random.chance(0.1) ? 2 : 1));
    }
  }
  const auto readers = consumers(g.graph());
  for (const TensorId t : made) {
    if (readers[t.index()].empty() || random.chance(0.05)) g.output(t);
  }
  return g.graph();
}

/// Disjoint loops over runs of the file's order, as long as chance makes them.
PexPlan random_plan(const Graph& graph, const OrderProblem& problem, zoo::Random& random) {
  PexPlan plan{.order = original_order(problem).ops,
               .loops = {},
               .peak_bytes = original_order(problem).peak_bytes};
  const ChannelLoops rules(graph);
  const auto count = static_cast<int>(graph.ops.size());
  for (int begin = 0; begin < count;) {
    std::vector<PlacedLoop> possible;
    std::vector<OpId> ops;
    for (int end = begin + 1; end <= count; ++end) {
      ops.push_back(OpId{end - 1});
      if (std::optional<ChannelLoop> loop = rules.loop_of(ops)) {
        const int64_t step = random.between(1, loop->channels);
        possible.push_back({begin, end, std::move(*loop), step});
      }
    }
    if (possible.empty() || random.chance(0.2)) {
      ++begin;
      continue;
    }
    const int64_t last = static_cast<int64_t>(possible.size()) - 1;
    plan.loops.push_back(possible[static_cast<size_t>(random.between(0, last))]);
    begin = plan.loops.back().end;
  }
  return plan;
}

TEST(RandomChannelLoops, AreVerifiedAndEqualTheReference) {
  const uint64_t graphs =
      std::getenv("THIMBLE_NIGHTLY") != nullptr ? 20'000 : 1'500 / testing::kOneIn;
  size_t loops = 0;
  size_t accumulating = 0;
  size_t caught = 0;
  for (uint64_t seed = 1; seed <= graphs; ++seed) {
    SCOPED_TRACE(seed);
    zoo::Random random(seed);
    const Graph graph =
        seed % 2 == 0 ? random_chain(seed, random) : rewrite(testing::random_network(seed));
    const bool in_place = random.chance(0.5);
    const OrderProblem problem = order_problem(graph, in_place);
    const PexPlan plan = random_plan(graph, problem, random);
    if (plan.loops.empty()) continue;
    loops += plan.loops.size();
    for (const PlacedLoop& placed : plan.loops) accumulating += placed.loop.accumulated.size();
    const Schedule schedule = pex_schedule(graph, problem, plan, in_place);
    ASSERT_EQ(malformed(graph, schedule), "");
    const Placement placement = place(graph, schedule, {});
    const Program program = lower(graph, schedule, placement);
    const Verification verification = verify(graph, program);
    ASSERT_EQ(verification.fault, "");
    EXPECT_EQ(macs(graph, schedule), macs(graph));
    const std::vector<Bytes> inputs = testing::noise(graph, seed);
    ASSERT_EQ(execute(program, inputs), testing::expected_outputs(graph, inputs));
    if (seed % 10 == 0) {
      const testing::MutantCount count = testing::count_mutants(graph, schedule, placement, 3);
      caught += static_cast<size_t>(count.caught);
      for (const std::string& missed : count.missed) ADD_FAILURE() << "not caught: " << missed;
    }
  }
  fmt::print("{} loops, {} accumulators, {} mutants caught\n", loops, accumulating, caught);
  EXPECT_GT(loops, graphs / 2);
  EXPECT_GT(accumulating, graphs / 4);
  EXPECT_GT(caught, graphs / 15);
}

}  // namespace
}  // namespace thimble
