// SPDX-License-Identifier: Apache-2.0
// `thimble plan --format json` says what the schedule says.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/report/reported_plan.h"

namespace thimble::testing {
namespace {

using nlohmann::json;

json parsed(const ReportedPlan& plan) { return json::parse(plan_json(plan.report())); }

void collect(const json& nodes, std::vector<json>& steps) {
  for (const json& node : nodes) {
    if (node.contains("body")) {
      collect(node.at("body"), steps);
    } else {
      steps.push_back(node);
    }
  }
}

void expect_agrees(const ReportedPlan& plan) {
  const json j = parsed(plan);
  const Schedule& schedule = plan.plan.schedule;
  const std::vector<LiveRange> lives = live_ranges(schedule);
  const std::vector<int64_t> live = live_bytes(plan.graph, schedule);
  std::vector<json> steps;
  collect(j.at("schedule"), steps);
  EXPECT_EQ(steps.size(), live.size());
  EXPECT_EQ(j.at("written_steps"), live.size());
  for_each_step(schedule, [&](const Step& step, Position position) {
    const json& entry = steps.at(static_cast<size_t>(position));
    std::vector<int> reads;
    for (BufferId id : read_buffers(step)) {
      if (id.valid()) reads.push_back(id.value);
    }
    EXPECT_EQ(entry.at("step"), position);
    EXPECT_EQ(entry.at("reads"), reads);
    EXPECT_EQ(entry.at("writes"), step.out.value);
    EXPECT_EQ(entry.at("region").size(), step.region.size());
    EXPECT_EQ(entry.at("live_bytes"), live[static_cast<size_t>(position)]);
  });
  ASSERT_EQ(j.at("buffers").size(), schedule.buffers.size());
  for (size_t b = 0; b < schedule.buffers.size(); ++b) {
    const json& entry = j.at("buffers").at(b);
    EXPECT_EQ(entry.at("size_bytes"), schedule.buffers[b].size_bytes());
    EXPECT_EQ(entry.at("offset_bytes"), plan.plan.placement.addresses[b]);
    EXPECT_EQ(entry.at("begin_step"), lives[b].begin);
    EXPECT_EQ(entry.at("end_step"), lives[b].end);
  }
}

TEST(PlanJson, HasEachMemoryWithWhatItTakes) {
  const json j = parsed(placed(several_memories()));
  const json& memories = j.at("memories");
  ASSERT_EQ(memories.size(), 3U);
  EXPECT_EQ(memories.at(1).at("name"), "sram2");
  EXPECT_EQ(memories.at(2).at("kind"), "external_ram");
  EXPECT_EQ(memories.at(2).at("capacity_bytes"), 8 << 20);
  for (const json& memory : memories) EXPECT_EQ(memory.at("size_bytes"), 1'024);
  EXPECT_EQ(j.at("buffers").at(2).at("memory"), "psram");
  EXPECT_EQ(j.at("buffers").at(2).at("offset_bytes"), 0);
  EXPECT_EQ(j.at("buffers").at(5).at("place"), "user");
  EXPECT_EQ(parsed(placed(channel_loop())).at("memories").size(), 1U);
}

TEST(PlanJson, HasEstimatesPerStepAndInTotal) {
  const ReportedPlan plan = placed(channel_loop());
  EXPECT_TRUE(parsed(plan).at("estimate").is_null());
  PlanReport report = plan.report();
  report.estimate = {
      .core = "cortex-m4",
      .clock_hz = 100'000'000,
      .estimate = {.instructions = 2e6, .wait_cycles = 5e5, .steps = {7, 20.4}, .left_out = {}}};
  const json j = json::parse(plan_json(report));
  EXPECT_EQ(j.at("estimate"),
            json::parse(R"({"core": "cortex-m4", "counted": "instructions", "instructions": 2000000,
    "wait_cycles": 500000, "clock_hz": 100000000, "milliseconds_at_a_cycle_each": 25.0,
    "left_out": []})"));
  std::vector<json> steps;
  collect(j.at("schedule"), steps);
  EXPECT_EQ(steps.at(0).at("estimated_instructions"), 7);
  EXPECT_EQ(steps.at(1).at("estimated_instructions"), 20);
  EXPECT_EQ(steps.at(4).at("estimated_instructions"), 0);
}

TEST(PlanJson, AgreesWithTheSchedule) {
  expect_agrees(placed(channel_loop()));
  expect_agrees(placed(row_span()));
  expect_agrees(planned("demo", "original"));
  expect_agrees(planned("res15", "reorder"));
}

TEST(PlanJson, LoopsHoldTheirSteps) {
  const json loop = parsed(placed(channel_loop())).at("schedule").at(0);
  EXPECT_EQ(loop.at("counter"), "i0");
  EXPECT_EQ(loop.at("count"), 144);
  EXPECT_EQ(loop.at("begin_step"), 0);
  EXPECT_EQ(loop.at("end_step"), 3);
  EXPECT_EQ(loop.at("body").at(0).at("region"),
            json::parse(R"([[0, 1], [0, 13], [0, 13], ["i0", "i0 + 1"]])"));
  EXPECT_EQ(loop.at("body").at(2).at("method"), "accumulate");
  EXPECT_EQ(loop.at("body").at(2).at("chunk"), json::parse(R"(["i0", "i0 + 1"])"));
  EXPECT_EQ(loop.at("body").at(2).at("chunk_axis"), 3);
  EXPECT_TRUE(loop.at("body").at(0).at("chunk").is_null());
}

TEST(PlanJson, KindsOfBuffers) {
  const json channels = parsed(placed(channel_loop())).at("buffers");
  EXPECT_EQ(channels.at(0).at("kind"), "whole");
  EXPECT_EQ(channels.at(1).at("kind"), "slice");
  EXPECT_EQ(channels.at(1).at("origin"), json::parse(R"([0, 0, 0, "i0"])"));
  EXPECT_EQ(channels.at(3).at("kind"), "accumulators");
  EXPECT_EQ(channels.at(3).at("type"), "int32");
  EXPECT_EQ(channels.at(5).at("may_lie_over"), json::parse("[4]"));
  const json rows = parsed(placed(row_span())).at("buffers");
  EXPECT_EQ(rows.at(1).at("kind"), "ring");
  EXPECT_EQ(rows.at(1).at("ring"), json::parse(R"({"axis": 1, "modulus": 3})"));
}

TEST(PlanJson, NamesThatAreNoTextDoNotBreakIt) {
  ReportedPlan plan = placed(channel_loop());
  plan.graph.tensors[0].name = "a\"b\\\n\xFF";
  EXPECT_EQ(parsed(plan).at("buffers").at(0).at("name"), "a\"b\\\n\xEF\xBF\xBD");
}

}  // namespace
}  // namespace thimble::testing
