// SPDX-License-Identifier: Apache-2.0
// Every harmful mutant of every plan is caught: what passes the verifier gives the right outputs.
#include "tests/program/mutants.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/golden.h"
#include "tests/support/hand_written.h"
#include "tests/support/shared.h"
#include "tests/support/workload.h"
#include "thimble/import/tflite.h"
#include "thimble/operators/operators.h"
#include "thimble/planners/registry.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble {
namespace {

constexpr const char* kResults = THIMBLE_SOURCE_DIR "/bench/results/mutants.csv";
constexpr size_t kPerPlanOfResults = 350;

// A line of the results file, which begins with the command that writes it.
void add_result(const std::string& name, const testing::MutantCount& count) {
  const bool begin = !std::filesystem::exists(kResults);
  std::ofstream file(kResults, std::ios::app);
  if (begin) {
    file << "# rm bench/results/mutants.csv; THIMBLE_UPDATE=1 "
            "build/dev/tests/program/test_program --gtest_filter='*MutantsOfModels*'\n"
            "program,made,caught,harmless,missed";
    for (const testing::MutantKind kind : testing::kMutantKinds)
      file << fmt::format(",{0},{0}_caught", testing::name(kind));
    file << "\n";
  }
  file << fmt::format("{},{},{},{},{}", name, count.made, count.caught, count.harmless,
                      count.missed.size());
  const auto of = [](const std::map<testing::MutantKind, int>& counts, testing::MutantKind kind) {
    const auto it = counts.find(kind);
    return it == counts.end() ? 0 : it->second;
  };
  for (const testing::MutantKind kind : testing::kMutantKinds)
    file << fmt::format(",{},{}", of(count.made_of, kind), of(count.caught_of, kind));
  file << "\n";
}

// every: 0 for as many as the results file has.
void expect_harmful_ones_caught(const std::string& name, const Graph& graph,
                                const Schedule& schedule, int every) {
  const Placement placement = place(graph, schedule, {});
  if (every == 0) {
    const size_t all = testing::mutants(graph, schedule, placement).size();
    every = static_cast<int>(std::max<size_t>(1, all / kPerPlanOfResults));
  }
  const testing::MutantCount count = testing::count_mutants(graph, schedule, placement, every);
  fmt::print("{}: {} mutants, {} caught, {} harmless, {} missed\n", name, count.made, count.caught,
             count.harmless, count.missed.size());
  if (testing::workload().update) add_result(name, count);
  EXPECT_GT(count.made, 3);
  EXPECT_GT(count.caught, count.made / 2);
  for (const std::string& missed : count.missed)
    ADD_FAILURE() << name << ": not caught: " << missed;
}

TEST(Mutants, OfTheHandWrittenSchedulesAreCaught) {
  const testing::HandWritten loop = testing::channel_loop(), span = testing::row_span();
  const testing::HandWritten halves = testing::residual_in_halves(true);
  const testing::HandWritten stream = testing::row_stream(), user = testing::row_span_of_user();
  expect_harmful_ones_caught("channel loop", loop.graph, loop.schedule, 1);
  expect_harmful_ones_caught("row span", span.graph, span.schedule, 1);
  expect_harmful_ones_caught("halves", halves.graph, halves.schedule, 1);
  expect_harmful_ones_caught("row stream", stream.graph, stream.schedule, 1);
  expect_harmful_ones_caught("row span of the user's", user.graph, user.schedule, 1);
}

class MutantsOfModels : public ::testing::TestWithParam<std::string> {};

TEST_P(MutantsOfModels, AreCaught) {
  THIMBLE_NEEDS_SHARED();
  const Graph graph =
      rewrite(import_tflite(testing::shared_folder() / "models" / (GetParam() + ".tflite")));
  if (macs(graph) > 50'000'000 && !testing::workload().all_mutants && !testing::workload().update)
    GTEST_SKIP() << "above 50 M MACs: set THIMBLE_ALL_MUTANTS=1 to run it";
  std::vector<std::pair<std::string, Planned>> plans;
  for (const Planner& planner : planners()) {
    auto planned = std::get<Planned>(planner.plan(graph, {}, {}));
    const auto same = [&](const auto& other) {
      return other.second.schedule() == planned.schedule();
    };
    // On a chain several planners give the same.
    if (std::ranges::none_of(plans, same)) plans.emplace_back(planner.name, std::move(planned));
  }
  // All of the small models' mutants; of the large ones' a share.
  int every = macs(graph) > 3'000'000 ? 4 * static_cast<int>(plans.size()) : 1;
  if (testing::workload().all_mutants) every = 1;
  if (testing::workload().update) every = 0;
  for (const auto& [name, planned] : plans) {
    expect_harmful_ones_caught(GetParam() + " " + name, graph, planned.schedule(), every);
  }
}

INSTANTIATE_TEST_SUITE_P(Shared, MutantsOfModels, ::testing::ValuesIn(testing::issue_models()),
                         [](const auto& model) { return model.param; });

}  // namespace
}  // namespace thimble
