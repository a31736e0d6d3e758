// SPDX-License-Identifier: Apache-2.0
// The real models and the single-operator cases, planned, verified and executed with the shipping
// kernels.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/extreme_inputs.h"
#include "tests/support/golden.h"
#include "tests/support/random_network.h"
#include "tests/support/shared.h"
#include "thimble/import/tflite.h"
#include "thimble/operators/operators.h"
#include "thimble/planners/registry.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/report/tensor_text.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble {
namespace {

struct Placed {
  Placement placement;
  Program program;
  int64_t macs;
};

Placed build(const Graph& graph, const std::string& planner) {
  const PlannerChoice choice = choose_planner(planner);
  const auto planned = std::get<Planned>(choice.planner->plan(graph, {}, choice.options));
  EXPECT_EQ(malformed(graph, planned.schedule()), "");
  Placed built{place(graph, planned.schedule(), {}), {}, macs(graph, planned.schedule())};
  built.program = lower(graph, planned.schedule(), built.placement);
  EXPECT_EQ(verify(graph, built.program).fault, "");
  return built;
}

void expect_golden_outputs(const Graph& graph, const Program& program,
                           const std::filesystem::path& file) {
  const testing::Golden golden = testing::load_golden(file);
  ASSERT_FALSE(golden.seeds.empty());
  for (const testing::Golden::Inference& inference : golden.seeds) {
    const std::vector<Bytes> outputs = execute(program, inference.input_bytes());
    ASSERT_EQ(outputs.size(), inference.outputs.size());
    EXPECT_EQ(outputs, testing::expected_outputs(graph, inference.input_bytes()));
    for (size_t k = 0; k < outputs.size(); ++k) {
      const NamedTensor& expected = inference.outputs[k];
      EXPECT_EQ(first_difference(expected.data, outputs[k], expected.type, expected.shape,
                                 kFloatTolerance),
                "")
          << graph.name << " output " << k;
    }
  }
}

/// Bytes of the interpreter's arena that are not persistent (bench/baseline.md of the shared data),
/// or what the issue sets below it.
int64_t arena_limit(const std::string& model) {
  const std::map<std::string, int64_t> limits = {{"ad01_int8", 768},
                                                 {"kws_ref_model", 16'000},
                                                 {"person_detect", 55'296},
                                                 {"vww_96_int8", 55'296},
                                                 {"pretrainedResnet_quant", 49'728},
                                                 {"tinyengine_vww", 161'472},
                                                 {"mcunetv2_large", 1'505'280},
                                                 {"mobilenet_v2", 1'505'280}};
  const auto it = limits.find(model);
  return it == limits.end() ? INT64_MAX : it->second;
}

struct PlanOfModel {
  std::string planner, model;
};
void PrintTo(const PlanOfModel& plan, std::ostream* out) {
  *out << plan.planner << " of " << plan.model;
}

std::vector<PlanOfModel> plans_of_models() {
  std::vector<PlanOfModel> plans{{"patch:patches=3", "person_detect"}};
  for (const std::string& model : testing::issue_models()) {
    for (const char* planner : {"original", "greedy", "reorder", "stream"})
      plans.push_back({planner, model});
  }
  for (const std::string& model : testing::float_models()) {
    for (const char* planner : {"original", "greedy", "reorder"}) plans.push_back({planner, model});
  }
  return plans;
}

class PlansOfModels : public ::testing::TestWithParam<PlanOfModel> {};

TEST_P(PlansOfModels, GiveTheGoldenOutputs) {
  THIMBLE_NEEDS_SHARED();
  const Graph graph = rewrite(import_tflite(testing::model_path(GetParam().model)));
  const Placed built = build(graph, GetParam().planner);
  if (!GetParam().planner.starts_with("patch")) {  // which computes halos again
    EXPECT_EQ(built.macs, macs(graph));
  }
  for (const auto& file : testing::golden_paths(GetParam().model))
    expect_golden_outputs(graph, built.program, file);
}

INSTANTIATE_TEST_SUITE_P(Shared, PlansOfModels, ::testing::ValuesIn(plans_of_models()),
                         [](const auto& plan) {
                           const std::string& planner = plan.param.planner;
                           return planner.substr(0, planner.find(':')) + "_" +
                                  testing::test_name(plan.param.model);
                         });

class PlannedModels : public ::testing::TestWithParam<std::string> {};

// The file's own graph, nothing rewritten, says what is right: also where bounds were relied on.
TEST_P(PlannedModels, GiveTheOutputsOfTheModelAsImportedAtTheEndsOfTheInputs) {
  THIMBLE_NEEDS_SHARED();
  const Graph imported = import_tflite(testing::model_path(GetParam()));
  const Graph graph = rewrite(imported);
  const Placed built = build(graph, "reorder");
  std::vector<std::vector<Bytes>> sets = testing::extreme_inputs(imported, 1, 3);
  if (sets.size() > 5) sets.resize(5);
  for (const std::vector<Bytes>& inputs : sets)
    EXPECT_EQ(execute(built.program, inputs), testing::expected_outputs(imported, inputs));
}

TEST_P(PlannedModels, NeedAtMostTheInterpretersArenaAndTheLayoutIsOptimal) {
  THIMBLE_NEEDS_SHARED();
  const Graph graph = rewrite(integer_io(import_tflite(testing::model_path(GetParam()))));
  const Placed built = build(graph, "reorder");
  fmt::print("{}: peak {}, lower bound {}, arena {}\n", GetParam(),
             built.placement.arena().peak_bytes, built.placement.arena().lower_bound_bytes,
             built.placement.arena_bytes());
  EXPECT_LE(built.placement.arena_bytes(), arena_limit(GetParam()));
  EXPECT_EQ(built.placement.arena_bytes(), built.placement.arena().lower_bound_bytes);
  EXPECT_TRUE(built.placement.arena().proven_optimal);
}

INSTANTIATE_TEST_SUITE_P(Shared, PlannedModels, ::testing::ValuesIn(testing::issue_models()),
                         [](const auto& model) { return model.param; });
INSTANTIATE_TEST_SUITE_P(Floats, PlannedModels, ::testing::ValuesIn(testing::float_models()),
                         [](const auto& model) { return testing::test_name(model.param); });

TEST(PlannedOps, EveryCaseGivesTheGoldenOutputs) {
  THIMBLE_NEEDS_SHARED();
  const std::vector<testing::OpsCase> cases = testing::ops_cases();
  ASSERT_GT(cases.size(), 200U);
  for (const testing::OpsCase& c : cases) {
    SCOPED_TRACE(c.name + ": " + c.configuration);
    const Graph imported = import_tflite(c.model());
    expect_golden_outputs(imported, build(imported, "original").program, c.golden());
    const Graph rewritten = rewrite(imported);
    expect_golden_outputs(rewritten, build(rewritten, "reorder").program, c.golden());
    if (HasFailure()) break;
  }
  fmt::print("{} cases\n", cases.size());
}

}  // namespace
}  // namespace thimble
