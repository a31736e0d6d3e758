// SPDX-License-Identifier: Apache-2.0
// Plans that do not fit the arena, spread over the memories of a target.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/hand_written.h"
#include "tests/support/random_network.h"
#include "tests/support/test_graph.h"
#include "tests/support/workload.h"
#include "thimble/analysis/traffic.h"
#include "thimble/plan/build.h"
#include "thimble/plan/reside.h"
#include "thimble/planners/registry.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/schedule/target_memories.h"
#include "thimble/target/device.h"

namespace thimble {
namespace {

UsableMemories with_capacities(int64_t arena, const std::vector<int64_t>& further) {
  UsableMemories usable;
  usable.memories[kArena.index()].capacity_bytes = arena;
  for (const int64_t bytes : further)
    usable.memories.push_back(
        {.name = fmt::format("bank_{}", usable.memories.size()), .capacity_bytes = bytes});
  for (const ScheduleMemory& memory : usable.memories)
    usable.usable_bytes.push_back(memory.capacity_bytes.value_or(INT64_MAX));
  return usable;
}

// "name kind KiB" of each beside the common ones, the arena first.
std::vector<std::string> words(const std::vector<ScheduleMemory>& memories) {
  std::vector<std::string> result;
  for (size_t m = 0; m < memories.size(); ++m) {
    if (m != kArena.index() && m < kFirstFurtherMemory.index()) continue;
    result.push_back(fmt::format("{} {} {}", memories[m].name, name(memories[m].kind),
                                 *memories[m].capacity_bytes / 1024));
  }
  return result;
}

using Words = std::vector<std::string>;

TEST(ScheduleMemories, AreTheContiguousRunsOfATarget) {
  const auto of = [](const char* board, bool external) {
    return words(schedule_memories(find_target(board), external));
  };
  EXPECT_EQ(of("nucleo-l476rg", false), (Words{"arena sram 96", "sram_2 sram 32"}));
  EXPECT_EQ(of("nucleo-f767zi", false), (Words{"arena tightly_coupled 512"}));
  EXPECT_EQ(of("nucleo-h743zi", false), (Words{"arena sram 512", "dtcm tightly_coupled 128",
                                               "ahb_sram sram 288", "ahb_sram_2 sram 64"}));
  EXPECT_EQ(of("mps2-an386", false), (Words{"arena sram 4096"}));
  EXPECT_EQ(of("mps2-an386", true), (Words{"arena sram 4096", "psram external_ram 16384"}));
  EXPECT_EQ(schedule_memories(generic_target("cortex-m4"), true), common_memories());
}

TEST(ScheduleMemories, HaveNamesThatEmittedCodeCanHave) {
  const Target target = parse_target(
      R"({"name": "n", "chip": "c", "core": "cortex-m4", "clock_hz": 1, "flash": "1M", "memories": [
        {"name": "Arena", "kind": "sram", "alignment": 65536,
         "banks": [{"base": "0x0", "size": "4K"}, {"base": "0x10000", "size": "3K"}]},
        {"name": "2 */ ü", "kind": "sram", "banks": [{"base": "0x20000", "size": "2K"}]},
        {"name": "flash", "kind": "sram", "banks": [{"base": "0x30000", "size": "1K"}]}]})",
      "n.json");
  const std::vector<ScheduleMemory> memories = schedule_memories(target, false);
  EXPECT_EQ(memories_fault(memories), "");
  EXPECT_EQ(words(memories),
            (Words{"arena sram 4", "arena_2 sram 3", "m_2______ sram 2", "flash_2 sram 1"}));
}

// x -> a -> b, where b + x is y: x lives across a and b. 256 B each.
TEST(Residence, MovesWhatLivesAcrossThePeak) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 8, 8, 4});
  const TensorId b = g.conv(g.conv(x, 4, 1, 1), 4, 1, 1);
  g.output(g.add(x, b));
  const auto planned = std::get<Planned>(
      choose_planner("original").planner->plan(g.graph(), {.in_place = false}, {}));
  ASSERT_EQ(place(g.graph(), planned.schedule(), {}).arena_bytes(), 768);
  const RealisedPlan& plan = planned.best().realised;
  const auto found = resident(g.graph(), plan, with_capacities(512, {300}), {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->placement.arena_bytes(), 512);
  EXPECT_EQ(found->placement.memory({4}).size_bytes, 256);
  EXPECT_FALSE(resident(g.graph(), plan, with_capacities(512, {255}), {}));
  EXPECT_FALSE(resident(g.graph(), plan, with_capacities(200, {300}), {}));
  EXPECT_TRUE(resident(g.graph(), plan, with_capacities(256, {256, 256}), {}));
}

TEST(Residence, IsAListOfStaysWithTransfersBetweenThem) {
  const MemoryId psram{4};
  const std::vector<Residence> residences = {
      {{kArena, {0, 9}}}, {{kArena, {0, 3}}, {psram, {3, 7}}, {kArena, {7, 8}}, {kArena, {8, 9}}}};
  const std::vector<Transfer> expected = {{BufferId{1}, kArena, psram, 3},
                                          {BufferId{1}, psram, kArena, 7}};
  EXPECT_EQ(transfers(residences), expected);
}

// docs/memories.md: by hand `a`, which three steps touch, is in PSRAM; `b` or `c` would wait less.
TEST(Residence, IsSlowForWhatIsTouchedLeast) {
  testing::HandWritten hand = testing::several_memories();
  for (ScheduleMemory& memory : hand.schedule.memories)
    memory.wait_cycles = memory.kind == MemoryKind::kExternalRam ? kAssumedWaitCycles : 0;
  const Placement by_hand = place(hand.graph, hand.schedule, {});
  const double waits = wait_cycles(hand.graph, hand.schedule);
  EXPECT_EQ(waits, 3 * 1024 * kAssumedWaitCycles);
  const std::vector<MemoryWaits> by_memory = memory_waits(hand.graph, hand.schedule);
  ASSERT_EQ(by_memory.size(), 1U) << "the other memories make nobody wait";
  EXPECT_EQ(by_memory[0].memory, MemoryId{5});
  EXPECT_EQ(by_memory[0].touched_bytes, 3 * 1024);
  EXPECT_EQ(by_memory[0].cycles, waits);
  // r, which rows of x go into and three of which are read for each row of a but the outermost; a
  // thrice; b and c, written and read.
  const int64_t ring = 8 * 32 + (8 * 3 - 2) * 32;
  EXPECT_EQ(by_memory[0].cycles_if_all,
            static_cast<double>(ring + (3 + 2 + 2) * 1024) * kAssumedWaitCycles);
  UsableMemories usable{.memories = hand.schedule.memories, .usable_bytes = {}};
  usable.memories[kArena.index()].capacity_bytes = by_hand.arena_bytes() + 96;
  for (const ScheduleMemory& memory : usable.memories)
    usable.usable_bytes.push_back(memory.capacity_bytes.value_or(INT64_MAX));
  RealisedPlan plan{.plan = {}, .schedule = hand.schedule, .placement = {}};
  plan.schedule.memories = common_memories();
  for (Buffer& buffer : plan.schedule.buffers) {
    if (is_laid_out(buffer.memory)) buffer.memory = kArena;
  }
  const auto found = resident(hand.graph, plan, usable, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->wait_cycles, 2 * 1024 * kAssumedWaitCycles);
  for (const MemoryId memory : {kArena, MemoryId{4}, MemoryId{5}})
    EXPECT_LE(found->placement.memory(memory).size_bytes,
              *usable.memories[memory.index()].capacity_bytes);
  const Program program = lower(hand.graph, found->schedule, found->placement);
  EXPECT_EQ(verify(hand.graph, program).fault, "");
  EXPECT_EQ(with_residences(plan.schedule, found->plan), found->schedule);
}

TEST(Residence, KeepsToCapacitiesAndTheReferencesOutputs) {
  const uint64_t graphs = testing::random_cases(testing::kSanitized ? 20 : 120, 4'000);
  int found_some = 0;
  int64_t moved_bytes = 0;
  for (uint64_t seed = 1; seed <= graphs; ++seed) {
    SCOPED_TRACE(seed);
    const Graph graph = testing::random_network(seed);
    for (const char* planner : {"reorder", "stream"}) {
      const auto planned = std::get<Planned>(choose_planner(planner).planner->plan(graph, {}, {}));
      const int64_t whole = place(graph, planned.schedule(), {}).arena_bytes();
      const auto found = resident(graph, planned.best().realised,
                                  with_capacities(whole * 2 / 3, {whole / 3, whole / 2}), {});
      if (!found) continue;
      ++found_some;
      ASSERT_EQ(malformed(graph, found->schedule), "");
      ASSERT_EQ(beyond_capacity(found->schedule, found->placement), std::nullopt);
      for (const Buffer& buffer : found->schedule.buffers)
        moved_bytes += buffer.memory == kArena ? 0 : buffer.size_bytes();
      const Program program = lower(graph, found->schedule, found->placement);
      ASSERT_EQ(verify(graph, program).fault, "");
      const std::vector<Bytes> inputs = testing::noise(graph, seed);
      ASSERT_EQ(execute(program, inputs), testing::expected_outputs(graph, inputs));
    }
  }
  fmt::print("{} of {} schedules fit, {} B moved\n", found_some, 2 * graphs, moved_bytes);
  EXPECT_GT(found_some, static_cast<int>(graphs) / 2);
}

}  // namespace
}  // namespace thimble
