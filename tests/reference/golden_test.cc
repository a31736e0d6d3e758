// SPDX-License-Identifier: Apache-2.0
// The interpreter against the recorded values of TensorFlow Lite Micro, at every operator.
#include "tests/support/golden.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>

#include "tests/reference/compare_golden.h"
#include "tests/support/shared.h"
#include "thimble/import/tflite.h"

namespace thimble::testing {
namespace {

void report(const std::string& what, const Counts& counts) {
  std::cout << fmt::format(
      "[ counts   ] {}: {} inferences, {} operator outputs and {} outputs identical\n", what,
      counts.inferences, counts.op_outputs, counts.outputs);
}

// Single operators of a published int16 network: convolutions, transposed ones, sums, conversions.
TEST(Golden, EveryOperatorOfSeanetIsIdentical) {
  THIMBLE_NEEDS_SHARED();
  Counts counts;
  size_t models = 0;
  for (const std::string& name : golden_names()) {
    if (!name.starts_with("seanet_")) continue;
    EXPECT_EQ(compare(import_tflite(model_path(name)), load_golden(golden_paths(name)[0]), counts),
              "")
        << name;
    ++models;
  }
  report("seanet", counts);
  EXPECT_GE(models, 30U);
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

INSTANTIATE_TEST_SUITE_P(Recurrent, GoldenModel, ::testing::ValuesIn(recurrent_models()),
                         [](const auto& tested) { return tested.param; });
INSTANTIATE_TEST_SUITE_P(Models, GoldenModel, ::testing::ValuesIn(issue_models()),
                         [](const auto& tested) { return tested.param; });
INSTANTIATE_TEST_SUITE_P(Floats, GoldenModel, ::testing::ValuesIn(float_models()),
                         [](const auto& tested) { return test_name(tested.param); });

}  // namespace
}  // namespace thimble::testing
