// SPDX-License-Identifier: Apache-2.0
// Random networks of float32 under all planners, and by random legal schedules: verified, and equal
// to the reference bit by bit, whatever a plan cuts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <variant>

#include "tests/program/mutants.h"
#include "tests/support/random_network.h"
#include "tests/support/random_op.h"
#include "tests/support/random_schedule.h"
#include "tests/support/short_plans.h"
#include "tests/support/workload.h"
#include "thimble/planners/registry.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/report/tensor_text.h"
#include "thimble/rewrites/rewrites.h"
#include "thimble/schedule/first_kernels.h"

namespace thimble {
namespace {

/// Without operators where the network has some that are not taken in float32.
Graph random_float_network(uint64_t seed) {
  const Graph drawn = seed % 2 == 0 ? testing::random_chain(seed) : testing::random_network(seed);
  const Graph graph = testing::in_float32(drawn, seed);
  return graph.ops.empty() ? graph : rewrite(graph);
}

class FloatNetworks : public ::testing::Test {
 protected:
  void expect_right(const Graph& graph, const Schedule& schedule, uint64_t seed) {
    ASSERT_EQ(malformed(graph, schedule), "");
    placement_ = place(graph, schedule, {.work = 4'000'000});
    const Program program = lower(graph, schedule, placement_);
    ASSERT_EQ(verify(graph, program).fault, "");
    const std::vector<Bytes> inputs = testing::noise(graph, seed);
    const std::vector<Bytes> outputs = execute(program, inputs);
    const std::vector<Bytes> expected = testing::expected_outputs(graph, inputs);
    for (size_t k = 0; k < expected.size(); ++k) {  // bits of NaNs are not promised
      const Tensor& t = graph.tensor(graph.outputs[k].tensor);
      ASSERT_EQ(first_difference(expected[k], outputs[k], t.type, t.shape), "");
    }
  }

  Placement placement_;
};

TEST_F(FloatNetworks, AreEqualTheReferenceUnderAllPlanners) {
  const uint64_t networks = testing::random_cases(120 / testing::kOneIn, 2'000);
  int planned = 0;
  for (uint64_t seed = 1; seed <= networks; ++seed) {
    const Graph graph = random_float_network(seed);
    if (graph.ops.empty()) continue;
    for (const Planner& planner : planners()) {
      SCOPED_TRACE(fmt::format("{} {}", planner.name, seed));
      const PlannerAnswer answer = planner.plan(graph, {}, {});
      const auto* plan = std::get_if<Planned>(&answer);
      if (plan == nullptr) continue;
      ASSERT_TRUE(plan->best().plan().accumulators.empty());
      expect_right(graph, plan->schedule(), seed);
      if (HasFatalFailure()) return;
      ++planned;
    }
  }
  fmt::print("{} plans\n", planned);
  EXPECT_GT(planned, static_cast<int>(networks));
}

/// Numbers whose products and sums are beyond all, or below.
std::vector<Bytes> extremes(const Graph& graph, uint64_t seed) {
  constexpr float kExtremes[] = {0,       -0.0F,    1,      -1.5F,     1e30F,   -1e30F,
                                 3.4e38F, -3.4e38F, 1e-45F, 0x1p-126F, 8388609, HUGE_VALF};
  zoo::Random random(seed);
  std::vector<Bytes> inputs;
  for (const Port& port : graph.inputs) {
    Bytes& bytes = inputs.emplace_back(static_cast<size_t>(graph.tensor(port.tensor).size_bytes()));
    for (size_t at = 0; at + sizeof(float) <= bytes.size(); at += sizeof(float)) {
      const float value = kExtremes[static_cast<size_t>(random.between(0, 11))];
      std::memcpy(&bytes[at], &value, sizeof value);
    }
  }
  return inputs;
}

// Operators one by one, of every kind: where results overflow, kernels clamp as the reference does.
TEST_F(FloatNetworks, AreEqualTheReferenceWhereNumbersOverflow) {
  int compared = 0;
  for (uint64_t seed = 1; seed <= testing::random_cases(1'000 / testing::kOneIn, 20'000); ++seed) {
    SCOPED_TRACE(seed);
    const Graph graph = testing::in_float32(testing::random_op_graph(seed), seed);
    if (graph.ops.empty()) continue;
    const Schedule schedule = testing::whole_operators(graph, false);
    if (!malformed(graph, schedule).empty()) continue;
    const Program program = lower(graph, schedule, place(graph, schedule, {.work = 100'000}));
    const std::vector<Bytes> inputs = extremes(graph, seed);
    const std::vector<Bytes> got = execute(program, inputs);
    const std::vector<Bytes> wanted = testing::expected_outputs(graph, inputs);
    for (size_t k = 0; k < got.size(); ++k) {
      const Tensor& out = graph.tensor(graph.outputs[k].tensor);
      ASSERT_EQ(first_difference(wanted[k], got[k], out.type, out.shape), "")
          << label(graph.ops[0]);
    }
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

TEST_F(FloatNetworks, AreEqualTheReferenceByRandomSchedules) {
  const uint64_t networks = testing::random_cases(240 / testing::kOneIn, 4'000);
  testing::MutantCount mutants;
  int schedules = 0;
  for (uint64_t seed = 1; seed <= networks; ++seed) {
    SCOPED_TRACE(seed);
    const Graph graph = random_float_network(seed);
    if (graph.ops.empty()) continue;
    zoo::Random random(seed * 7919);
    const auto made =
        testing::random_schedule(graph, testing::whole_operators(graph, random.chance(0.5)),
                                 static_cast<int>(random.between(2, 24)), random);
    EXPECT_EQ(made.changes.contains("accumulate"), false);
    expect_right(graph, made.schedule, seed);
    if (HasFatalFailure()) return;
    ++schedules;
    if (seed % 10 != 0) continue;
    const int every = testing::workload().all_mutants ? 1 : 5;
    const testing::MutantCount found =
        testing::count_mutants(graph, made.schedule, placement_, every);
    mutants.made += found.made;
    mutants.caught += found.caught;
    for (const std::string& missed : found.missed) ADD_FAILURE() << "not caught: " << missed;
  }
  fmt::print("{} schedules, {} mutants, {} caught\n", schedules, mutants.made, mutants.caught);
  EXPECT_GT(schedules, static_cast<int>(networks / 2));
  EXPECT_GT(mutants.caught, mutants.made / 2);
}

// Every number of their parameters and bytes of their constants, scales and zero points among them.
TEST_F(FloatNetworks, MutantsOfRecurrentLayersAndWeightsOfInt8AreCaught) {
  constexpr uint64_t kKinds = std::variant_size_v<AnyOperator>;
  Core wide = core_named("cortex-m4");
  wide.weights = Weights::kWide;
  testing::MutantCount mutants;
  std::set<std::string> found;
  size_t expansions = 0;
  for (const Attributes& kind : {Attributes(Lstm{}), Attributes(Recurrent{}), Attributes(Conv2D{}),
                                 Attributes(DepthwiseConv2D{})}) {
    for (uint64_t seed = kind.index(); seed < 40 * kKinds; seed += kKinds) {
      const Graph graph = testing::in_float32(testing::random_op_graph(seed), seed);
      if (graph.ops.empty()) continue;
      SCOPED_TRACE(seed);
      const Schedule kept = testing::whole_operators(graph, false);
      const Schedule expanded = with_first_kernels(graph, kept, wide);
      expansions += expanded == kept ? 0 : 1;
      for (const Schedule& schedule : {kept, expanded}) {
        expect_right(graph, schedule, seed);
        for (const ProgramParams& given : lower(graph, schedule, placement_).params)
          found.insert(type_name(given.params));
        const testing::MutantCount more = testing::count_mutants(graph, schedule, placement_, 1);
        mutants.made += more.made;
        mutants.caught += more.caught;
        for (const std::string& missed : more.missed) ADD_FAILURE() << "not caught: " << missed;
      }
    }
  }
  EXPECT_TRUE(found.contains("HybridConv2DParams") && found.contains("FloatLstmParams") &&
              found.contains("HybridLstmParams") && found.contains("FloatRecurrentParams"));
  EXPECT_GT(expansions, 20U);
  EXPECT_GT(mutants.caught, 9 * mutants.made / 10);
}

}  // namespace
}  // namespace thimble
