// SPDX-License-Identifier: Apache-2.0
// Loops over channels wherever the rules allow them, gain or not, with sums of 32, 16 and 8 bits:
// verified, and equal to the reference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/program/mutants.h"
#include "tests/support/random_network.h"
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
        const DType sums = std::array{DType::kInt32, DType::kInt16,
                                      DType::kInt8}[static_cast<size_t>(random.between(0, 2))];
        possible.push_back({begin, end, std::move(*loop), step, sums});
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

/// Scales that saturate now and then, or leave most of the range unused.
std::vector<Accumulator> random_scales(std::vector<Accumulator> accumulators, zoo::Random& random) {
  for (Accumulator& a : accumulators) {
    a.scale *= static_cast<float>(random.between(1, 30)) / 10;
    a.scale /= static_cast<float>(random.between(1, 30));
    a.zero_point += static_cast<int32_t>(random.between(-20, 20));
    a.zero_point = std::clamp(a.zero_point, -128, 127);
  }
  return accumulators;
}

TEST(RandomChannelLoops, AreVerifiedAndEqualTheReference) {
  const uint64_t graphs = testing::random_cases(1'500 / testing::kOneIn, 20'000);
  size_t loops = 0;
  size_t accumulating = 0;
  size_t narrow = 0;
  int caught = 0;
  for (uint64_t seed = 1; seed <= graphs; ++seed) {
    SCOPED_TRACE(seed);
    zoo::Random random(seed);
    const Graph exact =
        seed % 2 == 0 ? testing::random_chain(seed) : rewrite(testing::random_network(seed));
    const bool in_place = random.chance(0.5);
    const OrderProblem problem = order_problem(exact, in_place);
    const PexPlan plan = random_plan(exact, problem, random);
    if (plan.loops.empty()) continue;
    const Graph graph =
        with_accumulators(exact, random_scales(pex_accumulators(exact, plan), random));
    ASSERT_EQ(accumulator_fault(graph), "");
    loops += plan.loops.size();
    for (const PlacedLoop& placed : plan.loops) accumulating += placed.loop.accumulated.size();
    narrow += graph.accumulators.size();
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
  fmt::print("{} loops, {} tensors summed, {} of them in 16 or 8 bits, {} mutants caught\n", loops,
             accumulating, narrow, caught);
  EXPECT_GT(loops, graphs / 2);
  EXPECT_GT(accumulating, graphs / 4);
  EXPECT_GT(narrow, graphs / 8);
  EXPECT_GT(caught, 100);
}

}  // namespace
}  // namespace thimble
