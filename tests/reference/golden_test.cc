// SPDX-License-Identifier: Apache-2.0
// The interpreter against the recorded values of TensorFlow Lite Micro, at every operator.
#include "tests/support/golden.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>
#include <map>

#include "tests/support/shared.h"
#include "thimble/import/tflite.h"
#include "thimble/reference/interpreter.h"

namespace thimble::testing {
namespace {

struct Counts {
  size_t inferences = 0, op_outputs = 0, outputs = 0;
};

/// Compares op.N.J of seed 1; returns the first difference, with its operator.
std::string compare_operators(const Graph& graph, const Golden& golden, const TensorValues& values,
                              Counts& counts) {
  std::map<int, int> outputs_before;  // of operators that the importer takes apart
  for (const Op& op : graph.ops) {
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      const auto expected =
          golden.op_outputs.find({op.file_index, outputs_before[op.file_index]++});
      if (expected == golden.op_outputs.end()) return label(op) + " has no golden";
      const Tensor& tensor = graph.tensor(op.outputs[i]);
      const std::string difference = first_difference(
          expected->second.data, values[op.outputs[i].index()], tensor.type, tensor.shape);
      if (!difference.empty()) return fmt::format("{} output {}: {}", label(op), i, difference);
      if (expected->second.type != tensor.type) return label(op) + " has another type";
      ++counts.op_outputs;
    }
  }
  return "";
}

std::string compare_outputs(const Graph& graph, const Golden::Inference& inference,
                            const TensorValues& values, Counts& counts) {
  if (inference.outputs.size() != graph.outputs.size()) return "another number of outputs";
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const Port& port = graph.outputs[i];
    const Bytes actual = to_port(graph, port, values[port.tensor.index()]);
    const NamedTensor& expected = inference.outputs[i];
    const std::string difference =
        first_difference(expected.data, actual, expected.type, expected.shape);
    if (!difference.empty()) return fmt::format("output {}: {}", i, difference);
    ++counts.outputs;
  }
  return "";
}

/// The first difference on any seed, or empty.
std::string compare(const Graph& graph, const Golden& golden, Counts& counts) {
  for (size_t s = 0; s < golden.seeds.size(); ++s) {
    const TensorValues values = interpret(graph, golden.seeds[s].input_bytes());
    std::string difference;
    if (s == 0) difference = compare_operators(graph, golden, values, counts);
    if (difference.empty()) difference = compare_outputs(graph, golden.seeds[s], values, counts);
    if (!difference.empty()) return fmt::format("seed {}: {}", s + 1, difference);
    ++counts.inferences;
  }
  return "";
}

void report(const std::string& what, const Counts& counts) {
  std::cout << fmt::format(
      "[ counts   ] {}: {} inferences, {} operator outputs and {} outputs identical\n", what,
      counts.inferences, counts.op_outputs, counts.outputs);
}

TEST(Golden, EveryCaseOfTheOperatorsIsIdentical) {
  THIMBLE_NEEDS_SHARED();
  const std::vector<OpsCase> cases = ops_cases();
  ASSERT_GE(cases.size(), 200u) << "the index of cases has shrunk";
  Counts counts;
  for (const OpsCase& c : cases) {
    SCOPED_TRACE(fmt::format("{}: {}", c.name, c.configuration));
    try {
      const Golden golden = load_golden(c.golden());
      EXPECT_EQ(golden.seeds.size(), 4u);
      EXPECT_EQ(compare(import_tflite(c.model()), golden, counts), "");
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
  report(fmt::format("{} cases", cases.size()), counts);
  EXPECT_EQ(counts.inferences, 4 * cases.size());
}

class GoldenModel : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenModel, IsIdenticalAtEveryOperator) {
  THIMBLE_NEEDS_SHARED();
  const Graph graph = import_tflite(model_path(GetParam()));
  for (const std::filesystem::path& file : golden_paths(GetParam())) {
    const Golden golden = load_golden(file);
    Counts counts;
    EXPECT_EQ(compare(graph, golden, counts), "") << file.filename();
    EXPECT_GE(counts.inferences, 1u);
    EXPECT_EQ(counts.op_outputs, golden.op_outputs.size());
    report(file.filename().string(), counts);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, GoldenModel, ::testing::ValuesIn(issue_models()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace thimble::testing
