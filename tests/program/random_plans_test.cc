// SPDX-License-Identifier: Apache-2.0
// Random networks of several operators through every planner: layout clean, verified, host
// execution equal to the reference interpreter, harmful mutants caught.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/program/mutants.h"
#include "tests/support/random_network.h"
#include "tests/support/workload.h"
#include "thimble/planners/registry.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble {
namespace {

uint64_t number_of_graphs() {
  return testing::random_cases(150 / (testing::kSanitized ? 5 : 1), 6'000);
}

void expect_right(const Graph& graph, const Planned& planned, LayoutMethod method,
                  const std::vector<Bytes>& inputs, const std::vector<Bytes>& expected) {
  const Schedule& schedule = planned.schedule();
  ASSERT_EQ(malformed(graph, schedule), "");
  const Placement placement = place(graph, schedule, {.method = method, .work = 8'000'000});
  EXPECT_EQ(layout::validate(layout_problem(graph, schedule, false), placement.addresses), "");
  EXPECT_LE(placement.arena().peak_bytes, placement.arena().lower_bound_bytes);
  EXPECT_LE(placement.arena().lower_bound_bytes, placement.arena_bytes());
  const Program program = lower(graph, schedule, placement);
  ASSERT_EQ(verify(graph, program).fault, "");
  EXPECT_EQ(execute(program, inputs), expected);
}

Graph network(uint64_t seed) {
  return seed % 6 == 5 ? testing::random_attention(seed) : testing::random_network(seed);
}

TEST(RandomPlans, AreVerifiedAndEqualTheReference) {
  const uint64_t graphs = number_of_graphs();
  int operators = 0;
  for (uint64_t seed = 1; seed <= graphs; ++seed) {
    const Graph plain = network(seed);
    const std::vector<Bytes> inputs = testing::noise(plain, seed);
    const std::vector<Bytes> expected = testing::expected_outputs(plain, inputs);
    operators += static_cast<int>(plain.ops.size());
    for (const bool rewritten : {false, true}) {
      const Graph graph = rewritten ? rewrite(plain) : plain;
      for (const Planner& planner : planners()) {
        for (const bool in_place : {false, true}) {
          SCOPED_TRACE(fmt::format("seed {}, {}, rewritten {}, in place {}", seed, planner.name,
                                   rewritten, in_place));
          const auto planned = std::get<Planned>(planner.plan(graph, {.in_place = in_place}, {}));
          expect_right(graph, planned,
                       seed % 4 == 0 ? LayoutMethod::kGreedyBySize : LayoutMethod::kExact, inputs,
                       expected);
          if (HasFailure()) return;
        }
      }
    }
  }
  fmt::print("{} networks, {} operators\n", graphs, operators);
}

TEST(RandomPlans, HarmfulMutantsAreCaught) {
  const uint64_t graphs = number_of_graphs();
  testing::MutantCount total;
  for (uint64_t seed = 1; seed <= graphs; seed += 5) {
    const Graph graph = rewrite(network(seed));
    if (graph.ops.empty()) continue;
    const Planner& planner = planners().back();
    const auto planned = std::get<Planned>(planner.plan(graph, {}, {}));
    const testing::MutantCount count =
        testing::count_mutants(graph, planned.schedule(), place(graph, planned.schedule(), {}), 3);
    total.made += count.made;
    total.caught += count.caught;
    for (const std::string& missed : count.missed)
      ADD_FAILURE() << "seed " << seed << ": " << missed;
  }
  fmt::print("{} mutants, {} caught\n", total.made, total.caught);
  EXPECT_GT(total.caught, total.made / 2);
}

}  // namespace
}  // namespace thimble
