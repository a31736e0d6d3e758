// SPDX-License-Identifier: Apache-2.0
// Networks with variables on the emulated board: fresh after a reset, and in turn.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/golden.h"
#include "tests/support/shared.h"
#include "thimble/driver/driver.h"
#include "thimble/driver/run.h"
#include "thimble/reference/interpreter.h"

namespace thimble {
namespace {

class StatesOnTheBoard : public ::testing::TestWithParam<std::string> {};

TEST_P(StatesOnTheBoard, GiveTheGoldenSequence) {
  THIMBLE_NEEDS_SHARED();
  const Compiled compiled = std::get<Compiled>(compile(
      {.model = testing::model_path(GetParam()).string(), .graph = {.keep_channels = true}}));
  const std::vector<InputCase> cases =
      golden_cases(compiled.graph, testing::golden_paths(GetParam())[0].string());
  ASSERT_EQ(cases.size(), 8U);  // four seeds, each after a reset, then in turn
  EXPECT_TRUE(cases.back().goes_on);
  EXPECT_EQ(run_host(compiled, cases).difference, "");
  const Inferences inferences = run_emulated(compiled, "cortex-m4", cases);
  EXPECT_EQ(inferences.difference, "");
  ASSERT_EQ(inferences.outputs.size(), 8U);
  fmt::print("{}: {} B, {} instructions\n", GetParam(), compiled.program.arena_bytes(),
             inferences.board->instructions.value_or(0));
}

INSTANTIATE_TEST_SUITE_P(Shared, StatesOnTheBoard, ::testing::ValuesIn(testing::recurrent_models()),
                         [](const auto& model) { return model.param; });

// More inferences than a command line has room for, each by the window as it is by then.
TEST(SlidingWindowOnTheBoard, DecidesAsTheReferenceDoes) {
  const Compiled compiled =
      std::get<Compiled>(compile({.model = "zoo:demo", .import = {.hop = {.rows = 5}}}));
  const Graph& graph = compiled.graph;
  const Graph whole = load("zoo:demo").graph;
  const Tensor& input = whole.tensor(whole.inputs[0].tensor);
  const auto row = static_cast<size_t>(input.size_bytes() / input.shape[1]);
  Bytes rows(static_cast<size_t>(input.size_bytes()) - 5 * row, zero_bytes(input)[0]);
  std::vector<InputCase> cases;
  for (uint64_t hop = 0; hop < 150; ++hop) {
    InputCase each = seeded_case(graph, hop + 1);
    each.goes_on = hop > 0;
    rows.insert(rows.end(), each.inputs[0].begin(), each.inputs[0].end());
    const Bytes window(rows.end() - input.size_bytes(), rows.end());
    each.outputs = {interpret(whole, {window})[whole.outputs[0].tensor.index()]};
    cases.push_back(std::move(each));
  }
  EXPECT_EQ(run_host(compiled, cases).difference, "");
  const Inferences inferences = run_emulated(compiled, "cortex-m4", cases);
  EXPECT_EQ(inferences.difference, "");
  EXPECT_EQ(inferences.outputs.size(), 150U);
}

}  // namespace
}  // namespace thimble
