// SPDX-License-Identifier: Apache-2.0
// A device with little SRAM and PSRAM beside it: which plan, and what lies where.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "thimble/analysis/traffic.h"
#include "thimble/driver/driver.h"
#include "thimble/driver/reports.h"

namespace thimble {
namespace {

// psram: 10 MB/s at 80 MHz make the core wait for 8 cycles a byte.
Request on_board(const std::string& model, const std::string& sram, const std::string& planner) {
  return {.model = model,
          .target = parse_target(
              fmt::format(
                  R"({{"name": "n", "chip": "c", "core": "cortex-m4", "clock_hz": 80000000,
                       "flash": "16M", "memories": [
                       {{"name": "sram", "kind": "sram", "banks": [
                         {{"base": "0x20000000", "size": "{}"}}]}},
                       {{"name": "psram", "kind": "external_ram", "bytes_per_second": 10000000,
                         "banks": [{{"base": "0x60000000", "size": "8M"}}]}}]}})",
                  sram),
              "n.json"),
          .external_ram = true,
          .planner = planner};
}

Compiled compiled_of(const Request& request) { return std::get<Compiled>(compile(request)); }

double cycles(const Compiled& compiled) {
  const Estimate estimate = estimate_of(compiled).value().estimate;
  return estimate.instructions + estimate.wait_cycles;
}

TEST(MemoryPlans, StayOnChipWhereThatIsNoSlower) {
  const Compiled compiled = compiled_of(on_board("zoo:demo", "40K", "auto"));
  EXPECT_TRUE(compiled.fits());
  EXPECT_EQ(compiled.plan.placement.in_use(), std::vector<MemoryId>{kArena});
  EXPECT_TRUE(memory_waits(compiled.graph, compiled.plan.schedule).empty());
}

// Whole operators of a network with residuals: what is in PSRAM waits less than if all were there,
// by more than what of the bytes is on chip.
TEST(MemoryPlans, PutsColdBuffersIntoSlowMemory) {
  const Compiled compiled = compiled_of(on_board("zoo:demo", "20K", "reorder"));
  ASSERT_TRUE(compiled.fits());
  const std::vector<MemoryWaits> waits = memory_waits(compiled.graph, compiled.plan.schedule);
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].cycles, 8.0 * static_cast<double>(waits[0].touched_bytes));
  EXPECT_EQ(estimate_of(compiled)->estimate.wait_cycles, waits[0].cycles);
  EXPECT_LT(waits[0].cycles, waits[0].cycles_if_all / 4);
}

// The input alone is larger than the SRAM. As the arena is planned without it, what streams through
// it needs little of the arena, and PSRAM is touched for the input alone: windows of 3 x 3 with
// stride 2 read it 9 / 4 times.
TEST(MemoryPlans, GiveTheInputAPlaceInSlowMemory) {
  const char* network = "zoo:mobilenet_v2:width=0.35,resolution=144";
  const Compiled compiled = compiled_of(on_board(network, "48K", "auto"));
  ASSERT_TRUE(compiled.fits());
  const Schedule& schedule = compiled.plan.schedule;
  const int64_t input_bytes = schedule.buffer(schedule.inputs[0]).size_bytes();
  EXPECT_GT(input_bytes, 48 << 10);
  EXPECT_EQ(schedule.buffer(schedule.inputs[0]).memory, kFirstFurtherMemory);
  const std::vector<MemoryWaits> waits = memory_waits(compiled.graph, schedule);
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_LE(waits[0].touched_bytes, input_bytes * 9 / 4);
  EXPECT_LT(cycles(compiled), cycles(compiled_of(on_board(network, "48K", "reorder"))));
}

}  // namespace
}  // namespace thimble
