// SPDX-License-Identifier: Apache-2.0
// A program in time, by hand: the worked example of docs/simulate.md, spilled_residual().
//
//   x [1,8,8,4] -> conv a 36,864 MACs -> depthwise b 9,216 -> conv c 16,384 -> y = a + c, row by
//   row a is 8 records of 128 B: stored beside b, fetched a row ahead of the sum, which has no MACs
//
// At 1 us a MAC; 4,096 B are erased in 40 ms, 1,024 B written in 1 + 10 ms, a row read in 1 + 5 ms.
#include "thimble/simulate/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/hand_written.h"
#include "thimble/plan/placement.h"
#include "thimble/program/estimate.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"

namespace thimble {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kTiny = 1e-9;
constexpr double kComputes = 62.464e-3;

StorageFigures spare_figures() {
  return {.read_bytes_per_second = 25'600,
          .write_bytes_per_second = 102'400,
          .access_seconds = 1e-3,
          .erase_seconds = 40e-3,
          .endurance_cycles = 10'000,
          .read_nanojoules_per_byte = 2,
          .write_nanojoules_per_byte = 10,
          .erase_nanojoules_per_block = 1e6,
          .transfers_in_flight = 1,
          .stalls_core = false};
}

SimulatedDevice example_device() {
  return {.core = {.seconds_per_mac = 1e-6}, .storages = {{"spare", spare_figures()}}};
}

Simulation simulated(const SimulatedDevice& device, const SimulationOptions& options = {}) {
  const testing::HandWritten hand = testing::spilled_residual();
  const Program program = lower(hand.graph, hand.schedule, place(hand.graph, hand.schedule, {}));
  EXPECT_EQ(verify(hand.graph, program).fault, "");
  return simulate(hand.graph, program, device, options);
}

double waited(const Simulation& simulation, WaitCause cause) {
  return simulation.waited_seconds[static_cast<size_t>(cause)];
}

// core   |a 36.864  |3.136|b 9.216 |1.784|c 16.384 |8 reads, each waited for: 48 |
// spare  |erase 40        |write 11      |         |read|read|...
TEST(Simulate, TheWorkedExample) {
  const Simulation result = simulated(example_device());
  EXPECT_NEAR(result.seconds, 115.384e-3, kTiny);
  EXPECT_NEAR(result.computed_seconds, kComputes, kTiny);
  EXPECT_NEAR(waited(result, WaitCause::kErase), 3.136e-3, kTiny);
  EXPECT_NEAR(waited(result, WaitCause::kWrite), 1.784e-3, kTiny);
  EXPECT_NEAR(waited(result, WaitCause::kRead), 48e-3, kTiny);
  EXPECT_EQ(waited(result, WaitCause::kQueue), 0);
  EXPECT_EQ(waited(result, WaitCause::kStall), 0);
  EXPECT_THAT(result.left_out, IsEmpty());
  ASSERT_EQ(result.storages.size(), 1U);
  const SimulatedStorage& spare = result.storages[0];
  EXPECT_EQ(spare.name, "spare");
  EXPECT_THAT(spare.work.requests, ElementsAre(8, 1, 1));
  EXPECT_THAT(spare.work.amounts, ElementsAre(1'024, 1'024, 1));
  EXPECT_EQ(spare.work.erased_bytes, 4'096);
  EXPECT_NEAR(spare.seconds.busy(), 99e-3, kTiny);
  EXPECT_NEAR(spare.seconds.hidden, 46.08e-3, kTiny) << "36.864 of the erase, 9.216 of the write";
  EXPECT_NEAR(result.hidden_share().value(), 46.08 / 99, kTiny);
}

TEST(Simulate, WearIsErasesOfABlock) {
  const SimulatedStorage spare = simulated(example_device()).storages.at(0);
  EXPECT_EQ(spare.cycles, 1);
  EXPECT_NEAR(spare.years(100).value(), 10'000 / 36'525.0, kTiny);
  SimulatedDevice device = example_device();
  device.storages["spare"].endurance_cycles.reset();
  EXPECT_FALSE(simulated(device).storages.at(0).years(100));
}

TEST(Simulate, EnergyIsOfWhatIsMoved) {
  // 1,024 B read at 2 nJ, 1,024 B written at 10 nJ, one block at 1 mJ.
  EXPECT_NEAR(simulated(example_device()).storages.at(0).joules().value(), 1.012288e-3, kTiny);
  SimulatedDevice device = example_device();
  device.storages["spare"].read_nanojoules_per_byte.reset();
  EXPECT_FALSE(simulated(device).storages.at(0).joules());
}

// 40 + 36.864 + 11 + 9.216 + 16.384 + 48.
TEST(Simulate, PolledIsTheSum) {
  SimulatedDevice device = example_device();
  device.driver.polled = true;
  const Simulation result = simulated(device);
  EXPECT_NEAR(result.seconds, 161.464e-3, kTiny);
  EXPECT_EQ(result.hidden_share().value(), 0);
}

TEST(Simulate, FlashThatCodeRunsFromHidesNothingButReads) {
  SimulatedDevice device = example_device();
  device.storages["spare"].stalls_core = true;
  const Simulation result = simulated(device);
  EXPECT_NEAR(result.seconds, 161.464e-3, kTiny);
  EXPECT_NEAR(waited(result, WaitCause::kStall), 51e-3, kTiny);
  EXPECT_EQ(waited(result, WaitCause::kErase), 0);
}

// The erase is for the next inference. On the same channel the write is behind it: 3.136 again, as
// time in the queue. Beside it, neither waits: 115.384 - 3.136.
TEST(Simulate, ErasesAheadAreForTheNextInference) {
  SimulatedDevice device = example_device();
  device.driver.erases_ahead = true;
  const Simulation behind = simulated(device, {.inferences = 3});
  EXPECT_NEAR(behind.seconds, 115.384e-3, kTiny);
  EXPECT_NEAR(behind.first_seconds, 115.384e-3, kTiny);
  EXPECT_NEAR(waited(behind, WaitCause::kQueue), 3.136e-3, kTiny);
  device.driver.erases_beside = true;
  const Simulation beside = simulated(device, {.inferences = 3});
  EXPECT_NEAR(beside.seconds, 112.248e-3, kTiny);
  EXPECT_EQ(waited(beside, WaitCause::kErase), 0);
  EXPECT_EQ(beside.storages.at(0).cycles, 0.5) << "of two areas, in turn";
}

// Erases of 200 ms are longer than the 112.248 ms between them: the third inference waits for the
// second one's, begun behind the first one's.
TEST(Simulate, ErasesAheadThatAreTooSlowAreWaitedFor) {
  SimulatedDevice device = example_device();
  device.storages["spare"].erase_seconds = 200e-3;
  device.driver = {.erases_ahead = true, .erases_beside = true};
  const Simulation result = simulated(device, {.inferences = 5});
  EXPECT_NEAR(result.first_seconds, 112.248e-3, kTiny);
  EXPECT_NEAR(result.seconds, 200e-3, kTiny) << "one erase an inference, one behind the other";
  EXPECT_NEAR(waited(result, WaitCause::kErase), 200e-3 - 112.248e-3, kTiny);
}

// 512 B in 1 + 5 ms, rows of 64 B in 1 + 2.5 ms; a part of a block is erased whole.
TEST(Simulate, CompressedRecordsMoveLess) {
  SimulatedDevice device = example_device();
  device.driver.stored_share = 0.5;
  const Simulation result = simulated(device);
  EXPECT_THAT(result.storages.at(0).work.amounts, ElementsAre(512, 512, 1));
  EXPECT_NEAR(result.seconds, 40e-3 + 9.216e-3 + 16.384e-3 + 8 * 3.5e-3, kTiny)
      << "the write is hidden";
}

TEST(Simulate, WhatIsNotKnownIsSaidAndTakesNone) {
  const Simulation result = simulated({.core = {.seconds_per_mac = 1e-6}});
  EXPECT_NEAR(result.seconds, kComputes, kTiny);
  EXPECT_THAT(result.left_out,
              ElementsAre("read bandwidth of spare", "write bandwidth of spare",
                          "access latency of spare", "block erase time of spare",
                          "whether the core stops during writes and erases of spare"));
  EXPECT_FALSE(result.hidden_share());
}

TEST(Simulate, InstructionsTakeACycleEach) {
  const testing::HandWritten hand = testing::spilled_residual();
  const Program program = lower(hand.graph, hand.schedule, place(hand.graph, hand.schedule, {}));
  const LatencyModel model = latency_model("cortex-m4").value();
  constexpr int64_t kClock = 100'000'000;
  const double instructions = estimate(program, model).instructions;
  const auto computed = [&](double wait_cycles) {
    const SimulatedDevice device{
        .core = {.model = model, .clock_hz = kClock, .wait_cycles = wait_cycles}};
    return simulate(hand.graph, program, device).computed_seconds;
  };
  EXPECT_NEAR(computed(0), instructions / kClock, kTiny);
  EXPECT_NEAR(computed(1e6), (instructions + 1e6) / kClock, kTiny) << "of slow memories";
}

TEST(Simulate, SpansAreOfAllInferences) {
  const Simulation one = simulated(example_device(), {.keeps_spans = true});
  const Simulation two = simulated(example_device(), {.inferences = 2, .keeps_spans = true});
  EXPECT_EQ(two.spans.size(), 2 * one.spans.size());
  EXPECT_NEAR(two.seconds, one.seconds, kTiny);
  EXPECT_THAT(simulated(example_device()).spans, IsEmpty());
}

}  // namespace
}  // namespace thimble
