// SPDX-License-Identifier: Apache-2.0
// No wrong rewrite passes certify().
#include "tests/certify/mutants.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/dead_network.h"
#include "tests/support/golden.h"
#include "tests/support/random_network.h"
#include "tests/support/shared.h"
#include "tests/support/workload.h"
#include "thimble/import/tflite.h"

namespace thimble {
namespace {

constexpr const char* kResults = THIMBLE_SOURCE_DIR "/bench/results/rewrite_mutants.csv";

void write_results(const testing::RewriteMutants& count) {
  std::ofstream file(kResults);
  file << "# THIMBLE_UPDATE=1 THIMBLE_ALL_MUTANTS=1 build/dev/tests/rewrites/test_rewrites "
          "--gtest_filter='RewriteMutants.*Networks*'\n"
          "kind,made,caught,equal,missed\n";
  for (const testing::WrongRewrite kind : testing::kWrongRewrites) {
    const auto of = [&](const auto& counts) { return counts.contains(kind) ? counts.at(kind) : 0; };
    const int made = of(count.made_of), caught = of(count.caught_of);
    file << fmt::format("{},{},{},{},0\n", testing::name(kind), made, caught, made - caught);
  }
  file << fmt::format("all,{},{},{},{}\n", count.made, count.caught, count.equal,
                      count.missed.size());
}

void expect_none_missed(const testing::RewriteMutants& count) {
  fmt::print("{} mutants: {} caught, {} equal, {} missed\n", count.made, count.caught, count.equal,
             count.missed.size());
  for (const auto& [kind, made] : count.made_of) {
    const auto caught = count.caught_of.find(kind);
    fmt::print("  {}: {}, {} caught\n", testing::name(kind), made,
               caught == count.caught_of.end() ? 0 : caught->second);
  }
  for (const std::string& missed : count.missed) ADD_FAILURE() << "not caught: " << missed;
  EXPECT_GT(count.caught, count.made * 3 / 4);
}

TEST(RewriteMutants, OfRandomNetworksAreCaught) {
  const testing::Workload workload = testing::workload();
  const uint64_t networks = (workload.all_mutants ? 300 : 60) / testing::kOneIn;
  testing::RewriteMutants count;
  for (uint64_t seed = 0; seed < networks; ++seed) {
    const Graph file =
        seed % 4 == 0 ? testing::random_network(seed) : testing::random_dead_network(seed);
    testing::count_rewrite_mutants(file, seed, 10, count);
  }
  expect_none_missed(count);
  EXPECT_GE(count.made, workload.all_mutants ? 2000 : 400 / testing::kOneIn);
  if (workload.update && workload.all_mutants) write_results(count);
}

TEST(RewriteMutants, OfModelsAreCaught) {
  THIMBLE_NEEDS_SHARED();
  testing::RewriteMutants count;
  for (const char* name : {"hello_world_int8", "vww_96_int8", "micro_speech_quantized"}) {
    const Graph file = import_tflite(testing::model_path(name));
    testing::count_rewrite_mutants(file, 1, testing::workload().all_mutants ? 200 : 12, count);
  }
  expect_none_missed(count);
}

}  // namespace
}  // namespace thimble
