// SPDX-License-Identifier: Apache-2.0
// Loops over channels wherever the rules allow them, gain or not, with sums of 32, 16 and 8 bits:
// verified, and equal to the reference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/program/mutants.h"
#include "tests/support/random_network.h"
#include "tests/support/workload.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/build.h"
#include "thimble/plan/order_problem.h"
#include "thimble/planners/channel_cut.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/rewrites/rewrites.h"
#include "zoo/random.h"

namespace thimble {
namespace {

/// Disjoint groups over runs of the file's order, as long as chance makes them.
ChannelCut random_cut(ChannelGroups& groups, const OrderProblem& problem, zoo::Random& random) {
  const Order order = original_order(problem);
  ChannelCut cut{.order = order.ops, .groups = {}, .peak_bytes = order.peak_bytes};
  const auto count = static_cast<int>(order.ops.size());
  for (int begin = 0; begin < count;) {
    std::vector<PlacedGroup> possible;
    std::vector<int> instances;
    for (int end = begin + 1; end <= count; ++end) {
      instances.push_back(order.ops[static_cast<size_t>(end - 1)]);
      if (const MeasuredGroup* group = groups.group_of(instances)) {
        const int64_t step = random.between(1, group->group.channels);
        const auto sums = static_cast<size_t>(random.between(0, 2));
        possible.push_back({begin, end, group, sums, step});
      }
    }
    if (possible.empty() || random.chance(0.2)) {
      ++begin;
      continue;
    }
    const int64_t last = static_cast<int64_t>(possible.size()) - 1;
    cut.groups.push_back(possible[static_cast<size_t>(random.between(0, last))]);
    begin = cut.groups.back().end;
  }
  return cut;
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
    const Instances instances = instances_of(exact, {});
    const AxisGraph axes(exact);
    const Dataflow flow(axes, instances);
    const OrderProblem problem = order_problem(exact, instances, in_place);
    ChannelGroups groups(flow, DType::kInt8);
    const ChannelCut cut = random_cut(groups, problem, random);
    if (cut.groups.empty()) continue;
    Plan plan = plan_of(groups, problem, cut, in_place);
    plan.accumulators = random_scales(std::move(plan.accumulators), random);
    const Graph graph = with_accumulators(exact, plan.accumulators);
    ASSERT_EQ(accumulator_fault(graph), "");
    loops += cut.groups.size();
    for (const PlacedGroup& placed : cut.groups)
      accumulating += placed.group->group.accumulated.size();
    narrow += graph.accumulators.size();
    const Schedule schedule = build(flow, plan);
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
