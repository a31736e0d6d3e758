// SPDX-License-Identifier: Apache-2.0
// Random networks executed by random legal schedules: slices, blocks gathered, patches with halo,
// accumulators, loops up to four deep. Verified, equal to the reference; what is wrong is caught.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/program/mutants.h"
#include "tests/support/random_network.h"
#include "tests/support/random_schedule.h"
#include "tests/support/short_plans.h"
#include "tests/support/workload.h"
#include "thimble/operators/operators.h"
#include "thimble/planners/registry.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble {
namespace {

struct Counts {
  std::map<std::string, int> changes, refused;
  std::map<size_t, int> depths;
  int schedules = 0, gathers = 0, recomputing = 0;
  int mutants = 0, caught = 0, harmless = 0, incomplete = 0;
};

size_t depth(const std::vector<Node>& nodes) {
  size_t result = 0;
  for (const Node& node : nodes) {
    const auto* loop = std::get_if<Loop>(&node.what);
    if (loop != nullptr) result = std::max(result, 1 + depth(loop->body));
  }
  return result;
}

/// Whole operators, or loops over channels as a planner makes them.
Schedule start(const Graph& graph, zoo::Random& random) {
  const bool in_place = random.chance(0.5);
  if (random.chance(0.3)) {
    const PlannerChoice pex = choose_planner("pex");
    const PlannerAnswer answer = pex.planner->plan(graph, {.in_place = in_place}, {});
    return std::get<Planned>(answer).schedule();
  }
  return testing::whole_operators(graph, in_place);
}

bool is_gather(const Operand& operand) { return operand.from.size() > 1; }

void count(const Schedule& schedule, Counts& counts) {
  ++counts.schedules;
  ++counts.depths[depth(schedule.nodes)];
  bool gathers = false;
  for_each_step(schedule, [&](const Step& step, Position) {
    gathers = gathers || std::ranges::any_of(step.in, is_gather);
  });
  counts.gathers += gathers ? 1 : 0;
  counts.recomputing += recomputes(schedule) ? 1 : 0;
}

/// The schedule with one buffer fewer in the k-th operand that has several; false if there is none.
bool drop_from_gather(std::vector<Node>& nodes, int& k) {
  for (Node& node : nodes) {
    if (auto* loop = std::get_if<Loop>(&node.what)) {
      if (drop_from_gather(loop->body, k)) return true;
      continue;
    }
    for (Operand& operand : std::get<Step>(node.what).in) {
      if (!is_gather(operand) || k-- > 0) continue;
      operand.from.erase(operand.from.begin() +
                         static_cast<std::ptrdiff_t>(operand.from.size() / 2));
      return true;
    }
  }
  return false;
}

class RandomSchedules : public ::testing::Test {
 protected:
  void expect_right(const Graph& graph, const Schedule& schedule, uint64_t seed) {
    ASSERT_EQ(malformed(graph, schedule), "");
    placement_ = place(graph, schedule, {.work = 4'000'000});
    const Program program = lower(graph, schedule, placement_);
    const Verification verification = verify(graph, program);
    ASSERT_EQ(verification.fault, "");
    EXPECT_EQ(verification.recomputed_elements > 0, recomputes(schedule));
    const std::vector<Bytes> inputs = testing::noise(graph, seed);
    ASSERT_EQ(execute(program, inputs), testing::expected_outputs(graph, inputs));
  }

  void expect_mutants_caught(const Graph& graph, const Schedule& schedule, Counts& counts) {
    const int every = testing::workload().all_mutants ? 1 : 5;
    const testing::MutantCount found = testing::count_mutants(graph, schedule, placement_, every);
    counts.mutants += found.made;
    counts.caught += found.caught;
    counts.harmless += found.harmless;
    for (const std::string& missed : found.missed) ADD_FAILURE() << "not caught: " << missed;
  }

  // A buffer that a step does need cannot be left out of its list unseen.
  void expect_missing_buffers_caught(const Graph& graph, const Schedule& schedule, Counts& counts) {
    const std::vector<Bytes> inputs = testing::noise(graph, 1);
    for (int k = 0; k < 8; ++k) {
      Schedule mutant = schedule;
      if (int left = k; !drop_from_gather(mutant.nodes, left)) return;
      ++counts.incomplete;
      if (!malformed(graph, mutant).empty()) continue;
      const Program program = lower(graph, mutant, placement_);
      if (!verify(graph, program).ok()) continue;
      EXPECT_EQ(execute(program, inputs), testing::expected_outputs(graph, inputs));
    }
  }

  Placement placement_;
};

TEST_F(RandomSchedules, AreVerifiedAndEqualTheReference) {
  const uint64_t graphs = testing::random_cases(800 / testing::kOneIn, 8'000);
  Counts counts;
  for (uint64_t seed = 1; seed <= graphs; ++seed) {
    SCOPED_TRACE(seed);
    zoo::Random random(seed * 7919);
    const Graph graph =
        seed % 3 != 0 ? testing::random_chain(seed) : rewrite(testing::random_network(seed));
    if (graph.ops.empty()) continue;
    const auto made = testing::random_schedule(graph, start(graph, random),
                                               static_cast<int>(random.between(2, 24)), random);
    for (const auto& [kind, times] : made.changes) counts.changes[kind] += times;
    for (const auto& [why, times] : made.refused) counts.refused[why] += times;
    count(made.schedule, counts);
    expect_right(graph, made.schedule, seed);
    if (HasFatalFailure()) return;
    if (seed % 10 == 0) {
      expect_mutants_caught(graph, made.schedule, counts);
      expect_missing_buffers_caught(graph, made.schedule, counts);
    }
    if (HasFatalFailure()) return;
  }
  fmt::print("{} schedules, {} with gathers, {} recompute\n", counts.schedules, counts.gathers,
             counts.recomputing);
  for (const auto& [kind, times] : counts.changes) fmt::print("  {}: {}\n", kind, times);
  for (const auto& [loops, times] : counts.depths) fmt::print("  {} deep: {}\n", loops, times);
  for (const auto& [why, times] : counts.refused) fmt::print("  refused{}: {}\n", why, times);
  fmt::print("{} mutants, {} caught, {} harmless; {} gathers with a buffer missing\n",
             counts.mutants, counts.caught, counts.harmless, counts.incomplete);
  for (const char* kind : {"split", "accumulate", "sink", "block"})
    EXPECT_GT(counts.changes[kind], counts.schedules / 5) << kind;
  EXPECT_GT(counts.depths[2], counts.schedules / 20);
  EXPECT_GT(counts.depths[3], counts.schedules / 50);
  EXPECT_GT(counts.gathers, counts.schedules / 10);
  EXPECT_GT(counts.recomputing, counts.schedules / 20);
  EXPECT_GT(counts.caught, counts.mutants / 2);
  EXPECT_GT(counts.incomplete, 10 / testing::kOneIn);
}

}  // namespace
}  // namespace thimble
