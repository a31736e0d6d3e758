// SPDX-License-Identifier: Apache-2.0
// Networks with variables on the emulated board: fresh after a reset, and in turn.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/golden.h"
#include "tests/support/shared.h"
#include "thimble/driver/driver.h"
#include "thimble/driver/run.h"

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

}  // namespace
}  // namespace thimble
