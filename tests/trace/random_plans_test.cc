// SPDX-License-Identifier: Apache-2.0
// Random plans, emitted: the code executes what was verified, call by call.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/random_bring.h"
#include "tests/support/random_network.h"
#include "tests/support/random_plan.h"
#include "tests/support/workload.h"
#include "tests/trace/traced.h"
#include "thimble/driver/driver.h"
#include "thimble/plan/build.h"

namespace thimble {
namespace {

Graph random_graph(uint64_t seed) {
  if (seed % 4 == 0) return testing::random_attention(seed);
  return seed % 2 == 0 ? testing::random_chain(seed) : testing::random_network(seed);
}

enum class Stored { kNothing, kValues, kConstantsToo };

Compiled random_plan(uint64_t seed, Stored stored) {
  const Graph graph = random_graph(seed);
  zoo::Random random(seed);
  const AxisGraph axes(graph);
  Plan plan = testing::random_plan(axes, random, stored != Stored::kNothing).plan;
  if (stored == Stored::kConstantsToo) testing::bring_at_random(axes, random, plan);
  const Schedule schedule = build(graph, plan);
  const PlacedPlan placed{.planner = "at random",
                          .schedule = schedule,
                          .placement = place(graph, schedule, {.work = 100'000}),
                          .accumulators = graph.accumulators};
  const Source source{graph, "net", ""};
  Compiled checked = check_plan(source, {.rewrite = false}, placed, "net");
  EXPECT_EQ(checked.verification.fault, "");
  return described(std::move(checked));
}

void expect_traces(uint64_t plans, Stored stored) {
  std::vector<Compiled> compiled;
  for (uint64_t seed = 1; seed <= plans; ++seed) compiled.push_back(random_plan(seed, stored));
  std::vector<testing::EmittedProject> projects;
  for (const Compiled& one : compiled) {
    const std::string name = fmt::format("net_{}", projects.size());
    projects.push_back(
        {&one.graph, &one.program, name, emitted_files(one, {.name = name, .command = "a test"})});
  }
  size_t lines = 0;
  const std::vector<std::string> differences =
      testing::HostBuild().trace_differences(projects, lines);
  for (size_t k = 0; k < differences.size(); ++k) EXPECT_EQ(differences[k], "") << k + 1;
  fmt::print("{} plans, {} lines\n", plans, lines);
}

TEST(TraceOfRandomTileLoops, IsTheirProgram) {
  expect_traces(testing::random_cases(24, 400), Stored::kNothing);
}

TEST(TraceOfRandomTileLoops, WithSpilledValuesIsTheirProgram) {
  expect_traces(testing::random_cases(12, 200), Stored::kValues);
}

TEST(TraceOfRandomTileLoops, WithBroughtConstantsIsTheirProgram) {
  expect_traces(testing::random_cases(12, 200), Stored::kConstantsToo);
}

}  // namespace
}  // namespace thimble
