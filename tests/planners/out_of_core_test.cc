// SPDX-License-Identifier: Apache-2.0
// Plans out of core: what they move, and that they compute what the reference computes.
#include "thimble/planners/out_of_core.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/plan/hand_plans.h"
#include "tests/support/random_network.h"
#include "tests/support/test_graph.h"
#include "tests/support/workload.h"
#include "thimble/plan/build.h"
#include "thimble/planners/registry.h"
#include "thimble/rewrites/rewrites.h"
#include "thimble/schedule/records.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

Limits on_card(int64_t sram) {
  Limits limits;
  limits.sram_bytes = sram;
  limits.storage = ScheduleMemory{.name = "card",
                                  .kind = MemoryKind::kBlockStorage,
                                  .storage = BlockStorage{.write_bytes = 512, .most_in_flight = 2}};
  return limits;
}

// Each layer's maps to the card and back, its weights again for every band, or the cheapest pieces.
TEST(OutOfCore, PlansOfChainsComputeWhatTheReferenceComputes) {
  const uint64_t chains = testing::random_cases(40, 2'000);
  int plans = 0, stored = 0, brought = 0, early = 0;
  for (uint64_t seed = 1; seed <= chains && !::testing::Test::HasFailure(); ++seed) {
    const Graph graph = rewrite(testing::random_chain(seed));
    const AxisGraph axes(graph);
    for (const int64_t sram : {1 << 10, 4 << 10, 1 << 20}) {
      for (const bool by_layer : {false, true}) {
        OutOfCoreOptions options{.weight_bytes = 0};
        if (by_layer) options.buffer_bytes = sram / 4;
        const Limits limits = on_card(by_layer ? int64_t{1} << 40 : sram);
        const std::optional<Decision> decision = out_of_core(graph, limits, options);
        if (!decision) continue;
        SCOPED_TRACE(fmt::format("chain {}, {} B, by layer {}", seed, sram, by_layer));
        const Schedule schedule = build(graph, decision->plan);
        EXPECT_EQ(testing::fault_of(graph, schedule), "");
        const MovedRecords moved = moved_records(schedule);
        ++plans;
        stored += moved.written > 0 ? 1 : 0;
        brought += moved.constants > 0 ? 1 : 0;
        early += std::ranges::any_of(calls(decision->plan.members), [](const InstanceCall& call) {
          return call.constants && call.constants->early;
        });
      }
    }
  }
  fmt::print("{} plans, {} store maps, {} bring constants, {} read early\n", plans, stored, brought,
             early);
  EXPECT_GT(plans, static_cast<int>(chains));
  EXPECT_GT(stored, plans / 4);
  EXPECT_GT(brought, plans / 2);
  EXPECT_GT(early, plans / 8);
}

bool fetches_again(const Plan& plan) {
  return std::ranges::any_of(plan.members, [](const Member& member) {
    const auto* group = std::get_if<Group>(&member.what);
    return group != nullptr && !group->loop.others.empty();
  });
}

// Weights of 16 KB for every band of rows: few of them, each with the rows around it from the card.
TEST(OutOfCore, RowsComeAgainWhereFewerBandsMoveLess) {
  testing::TestGraph g{1};
  TensorId t = g.conv(g.input({1, 16, 16, 8}), 128, 1, 1);
  for (int layer = 0; layer < 3; ++layer) t = g.conv(g.depthwise(t, 3, 1), 128, 1, 1);
  g.output(g.conv(t, 4, 1, 1));
  const Graph graph = rewrite(g.graph());
  int again = 0;
  for (int64_t sram = 20 << 10; sram <= 60 << 10; sram += 4 << 10) {
    const std::optional<Decision> decision =
        out_of_core(graph, on_card(sram), {.weight_bytes = 0, .cycles_per_byte = 100});
    if (!decision) continue;
    again += fetches_again(decision->plan) ? 1 : 0;
    EXPECT_EQ(testing::fault_of(graph, build(graph, decision->plan)), "");
  }
  EXPECT_GT(again, 0);
}

// 4.5 MB are the weights once and what they need besides.
TEST(OutOfCore, MobilenetMovesLittle) {
  const Graph graph = rewrite(build_zoo("mobilenet_v1"));
  Limits limits = on_card(512 << 10);
  limits.ports.input = Place::kStreamed;
  const auto moved = [&](int64_t sram) {
    limits.sram_bytes = sram;
    const std::optional<Decision> decision =
        out_of_core(graph, limits, {.weight_bytes = 0, .cycles_per_byte = 1000});
    if (!decision) return int64_t{0};
    const MovedRecords all = moved_records(build(graph, decision->plan));
    return all.read + all.written;
  };
  const int64_t large = moved(512 << 10), small = moved(60 << 10);
  fmt::print("512 KiB: {} B, 60 KiB: {} B\n", large, small);
  EXPECT_LE(large, 4'600'000);
  EXPECT_GT(large, 4'200'000);
  EXPECT_LE(small, 15'500'000);
}

}  // namespace
}  // namespace thimble
