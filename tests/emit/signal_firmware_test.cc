// SPDX-License-Identifier: Apache-2.0
// The published audio preprocessor, compiled: on the host by every planner, and on the emulated
// board, frame by frame with the noise that it learns.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/import/audio_preprocessor.h"
#include "thimble/driver/driver.h"
#include "thimble/driver/run.h"
#include "thimble/planners/planner.h"
#include "thimble/reference/elements.h"
#include "thimble/reference/interpreter.h"

namespace thimble {
namespace {

using testing::no_30ms;

Compiled compiled_by(const std::string& planner) {
  const Bytes file = testing::audio_preprocessor().bytes();
  return std::get<Compiled>(
      compile({.model = ModelBytes{"audio_preprocessor_int8", file}, .planner = planner}));
}

/// The published frame after a reset, then louder and softer frames of noise, and itself again.
std::vector<InputCase> frames(const Graph& graph) {
  std::vector<std::vector<int16_t>> sound{no_30ms()};
  for (int k = 0; k < 6; ++k) {
    std::vector<int16_t>& frame = sound.emplace_back();
    for (int i = 0; i < 480; ++i)
      frame.push_back(static_cast<int16_t>((i * (7919 + 31 * k) % 4001 - 2000) >> k));
  }
  sound.push_back(no_30ms());
  StateValues state = initial_state(graph);
  std::vector<InputCase> cases;
  for (const std::vector<int16_t>& frame : sound) {
    InputCase& next = cases.emplace_back();
    next.name = fmt::format("frame {}", cases.size() - 1);
    next.inputs = {reference::bytes_from(frame)};
    next.outputs = {interpret(graph, next.inputs, state)[graph.outputs[0].tensor.index()]};
    next.goes_on = cases.size() > 1;
  }
  return cases;
}

TEST(AudioPreprocessorOnTheHost, GivesThePublishedFeaturesByEveryPlanner) {
  for (const char* planner : {"", "original", "reorder", "stream", "patch", "pex", "motes"}) {
    const Compiled compiled = compiled_by(planner);
    const std::vector<InputCase> cases = frames(compiled.graph);
    EXPECT_EQ(cases[0].outputs[0], reference::bytes_from(testing::no_features()));
    EXPECT_EQ(run_host(compiled, cases).difference, "") << planner;
  }
}

TEST(AudioPreprocessorOnTheBoard, GivesTheReferencesFeatures) {
  const Compiled compiled = compiled_by("");
  const std::vector<InputCase> cases = frames(compiled.graph);
  const Inferences inferences = run_emulated(compiled, "cortex-m4", cases);
  EXPECT_EQ(inferences.difference, "");
  EXPECT_EQ(inferences.outputs.size(), cases.size());
  fmt::print("audio preprocessor: {} B, {} instructions\n", compiled.program.arena_bytes(),
             inferences.board->instructions.value_or(0));
}

}  // namespace
}  // namespace thimble
