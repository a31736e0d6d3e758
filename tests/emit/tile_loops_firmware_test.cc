// SPDX-License-Identifier: Apache-2.0
// Plans with tile loops, by hand and at random, on the emulated Cortex-M4.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/plan/hand_plans.h"
#include "tests/support/random_network.h"
#include "tests/support/random_plan.h"
#include "thimble/driver/driver.h"
#include "thimble/driver/measure.h"

namespace thimble {
namespace {

struct PlanEntry {
  Compiled compiled;
  std::string name;
  std::vector<EmittedFile> files;
};

PlanEntry plan_entry(const Graph& graph, const Plan& plan, const std::string& name) {
  const Schedule schedule = build(graph, plan);
  const PlacedPlan placed{.planner = "by hand",
                          .schedule = schedule,
                          .placement = place(graph, schedule, {.work = 100'000}),
                          .accumulators = plan.accumulators};
  PlanEntry entry{
      described(check_plan({graph, name, ""}, {.rewrite = false}, placed, name)), name, {}};
  entry.files = emitted_files(entry.compiled, {.name = name, .command = "a test"});
  return entry;
}

void expect_outputs_of_the_reference(const std::vector<PlanEntry>& entries) {
  std::vector<FirmwareModel> models;
  InputSet inputs;
  for (const PlanEntry& entry : entries) {
    models.push_back({entry.name, entry.files, &entry.compiled.program});
    inputs.push_back(testing::noise(entry.compiled.graph, 5));
  }
  const Measured measured = measure(models, "cortex-m4", {inputs});
  for (size_t k = 0; k < entries.size(); ++k) {
    const EmulatedRun& run = measured.sets[0][k];
    EXPECT_TRUE(run.guards_intact()) << run.name << ": " << run.guards;
    EXPECT_EQ(run.outputs, testing::expected_outputs(entries[k].compiled.graph, inputs[k]))
        << run.name;
    fmt::print("{}: {} instructions, {} B of stack\n", run.name, run.instructions, run.stack_bytes);
  }
}

TEST(FirmwareOfTileLoops, ByHandEqualsTheReference) {
  std::vector<PlanEntry> entries;
  for (const testing::HandPlan& hand : testing::hand_plans())
    entries.push_back(plan_entry(hand.graph, hand.plan, hand.name));
  expect_outputs_of_the_reference(entries);
}

TEST(FirmwareOfTileLoops, AtRandomEqualsTheReference) {
  std::vector<PlanEntry> entries;
  for (uint64_t seed = 1; entries.size() < 12; ++seed) {
    const Graph graph = testing::random_chain(seed);
    zoo::Random random(seed);
    const testing::RandomPlan drawn = testing::random_plan(AxisGraph(graph), random);
    if (drawn.nested == 0) continue;
    entries.push_back(plan_entry(graph, drawn.plan, fmt::format("random_{}", seed)));
  }
  expect_outputs_of_the_reference(entries);
}

}  // namespace
}  // namespace thimble
