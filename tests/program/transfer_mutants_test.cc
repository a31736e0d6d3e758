// SPDX-License-Identifier: Apache-2.0
// Programs whose transfers to block storage were made wrong on purpose: those of plans for small
// networks of encoder and decoder, by all planners that spill, in storage of several forms.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/program/mutants.h"
#include "tests/support/hand_written.h"
#include "tests/support/random_network.h"
#include "tests/support/test_graph.h"
#include "tests/support/workload.h"
#include "thimble/planners/registry.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble {
namespace {

using testing::MutantCount;
using testing::MutantKind;

// Each level half as high and wide as the one above, which waits for its sum or concatenation.
Graph random_unet(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&](int64_t from, int64_t to) {
    return from + static_cast<int64_t>(random() % static_cast<uint64_t>(to - from + 1));
  };
  testing::TestGraph g(seed);
  const int64_t levels = draw(1, 2), rows = 4 * draw(2, 4), columns = 4 * draw(2, 4);
  TensorId x = g.input({1, rows, columns, 3});
  std::vector<TensorId> waiting;
  for (int64_t k = 0; k < levels; ++k) {
    waiting.push_back(g.conv(x, 4 * draw(1, 2) * (k + 1), 3, 1));
    x = draw(0, 1) == 0 ? g.max_pool(waiting.back(), 2, 2) : g.depthwise(waiting.back(), 3, 2);
  }
  x = g.conv(x, 8, 3, 1);
  for (int64_t k = levels; k-- > 0;) {
    const TensorId skip = waiting[static_cast<size_t>(k)];
    const Shape shape = g.graph().tensor(skip).shape;
    x = g.resize(g.conv(x, shape.back(), 1, 1), ResizeNearestNeighbor{}, shape[1], shape[2]);
    g.graph().tensors[x.index()].quantization = g.graph().tensor(skip).quantization;
    x = g.conv(draw(0, 1) == 0 ? g.concat(skip, x) : g.add(skip, x), 8, 3, 1);
  }
  g.output(x);
  return rewrite(g.graph());
}

struct StorageForm {
  BlockStorage storage;
  int64_t chunk_bytes = 0;
};

// Bytes as they come; what is erased first, blocks of many records or of few; two transfers at a
// time; compressed.
const std::vector<StorageForm>& forms() {
  static const std::vector<StorageForm> all = {
      {BlockStorage{}},
      {BlockStorage{.write_bytes = 32, .erase_bytes = 4096}},
      {BlockStorage{.write_bytes = 64, .erase_bytes = 128, .most_in_flight = 2}},
      {BlockStorage{.write_bytes = 32, .erase_bytes = 4096}, 64},
      {BlockStorage{.write_bytes = 4, .most_in_flight = 2}, 32}};
  return all;
}

Limits with_storage(const StorageForm& form) {
  Limits limits;
  limits.sram_bytes = 1;  // what is smallest
  limits.storage = ScheduleMemory{.name = "spare",
                                  .kind = MemoryKind::kBlockStorage,
                                  .alignment = form.storage.write_bytes,
                                  .storage = form.storage};
  limits.storage_chunk_bytes = form.chunk_bytes;
  return limits;
}

void expect_harmful_ones_caught(const std::string& name, const MutantCount& count) {
  for (const std::string& missed : count.missed) ADD_FAILURE() << name << ": " << missed;
}

TEST(TransferMutants, OfTheExampleByHandAreCaught) {
  for (const int64_t chunk_bytes : {0, 64}) {
    const testing::HandWritten hand = testing::spilled_residual(chunk_bytes);
    const MutantCount count =
        testing::count_mutants(hand.graph, hand.schedule, place(hand.graph, hand.schedule, {}), 1);
    expect_harmful_ones_caught("by hand", count);
    const int made = count.made_of.at(MutantKind::kTransfers);
    fmt::print("{} mutants of transfers, {} caught\n", made,
               count.caught_of.at(MutantKind::kTransfers));
    EXPECT_GT(made, 150);
    EXPECT_GT(count.caught_of.at(MutantKind::kTransfers), made / 2);
  }
}

// Every mutant in the nightly run, of 12 networks: 13,267. Else some hundreds, of three.
TEST(TransferMutants, OfPlannedNetworksAreCaught) {
  const int every = testing::workload().all_mutants ? 1 : 5;
  const uint64_t networks = testing::workload().all_mutants ? 12 : 3;
  MutantCount all;
  int plans = 0;
  for (uint64_t seed = 0; seed < networks; ++seed) {
    const Graph graph = random_unet(seed);
    for (size_t f = 0; f < forms().size(); ++f) {
      for (const char* spec : {"auto", "tinyseg:target=0"}) {
        const PlannerChoice choice = choose_planner(spec);
        const PlannerAnswer answer =
            choice.planner->plan(graph, with_storage(forms()[f]), choice.options);
        const auto* planned = std::get_if<Planned>(&answer);
        if (planned == nullptr) continue;
        const Schedule& schedule = planned->front.front().realised.schedule;
        const MutantCount count = testing::count_mutants(
            graph, schedule, place(graph, schedule, {}), every, MutantKind::kTransfers);
        expect_harmful_ones_caught(fmt::format("network {}, form {}, {}", seed, f, spec), count);
        plans += count.made > 0 ? 1 : 0;
        all.made += count.made;
        all.caught += count.caught;
        all.harmless += count.harmless;
      }
    }
  }
  fmt::print("{} mutants of transfers in {} plans, {} caught, {} harmless\n", all.made, plans,
             all.caught, all.harmless);
  EXPECT_GT(plans, static_cast<int>(networks));
  EXPECT_GT(all.made, every == 1 ? 5000 : 190);
  EXPECT_GT(all.caught, all.made / 2);
}

// Constants dropped, doubled, read too late or from elsewhere, records exchanged: in plans of
// chains whose weights all come from storage.
TEST(TransferMutants, OfBroughtConstantsAreCaught) {
  const int every = testing::workload().all_mutants ? 1 : 7;
  const uint64_t networks = testing::workload().all_mutants ? 16 : 4;
  MutantCount all;
  int plans = 0;
  for (uint64_t seed = 1; seed <= networks; ++seed) {
    const Graph graph = rewrite(testing::random_chain(seed));
    for (const BlockStorage& storage :
         {BlockStorage{.most_in_flight = 2}, BlockStorage{.write_bytes = 64, .erase_bytes = 128}}) {
      Limits limits = with_storage({storage});
      limits.weight_bytes = 0;
      for (const int64_t sram : {int64_t{1} << 20, int64_t{1} << 12, int64_t{1} << 11}) {
        limits.sram_bytes = sram;
        const PlannerAnswer answer = planners().back().plan(graph, limits, {});
        const auto* planned = std::get_if<Planned>(&answer);
        if (planned == nullptr) continue;
        const Schedule& schedule = planned->best().realised.schedule;
        const MutantCount count =
            testing::count_mutants(graph, schedule, place(graph, schedule, {}), every);
        expect_harmful_ones_caught(fmt::format("chain {} in {} bytes", seed, sram), count);
        plans += count.made > 0 ? 1 : 0;
        all.made += count.made;
        all.caught += count.caught;
        all.harmless += count.harmless;
      }
    }
  }
  fmt::print("{} mutants of plans with brought constants, {} plans, {} caught, {} harmless\n",
             all.made, plans, all.caught, all.harmless);
  EXPECT_GT(plans, static_cast<int>(networks));
  EXPECT_GT(all.caught, all.made / 2);
}

}  // namespace
}  // namespace thimble
