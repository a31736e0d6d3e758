// SPDX-License-Identifier: Apache-2.0
// The examples as a user builds and runs them, on the emulated board: they say what the reference
// says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "tests/support/golden.h"
#include "tests/support/shared.h"
#include "thimble/driver/driver.h"
#include "thimble/import/file_bytes.h"
#include "thimble/import/tensor_file.h"
#include "thimble/reference/elements.h"
#include "thimble/reference/interpreter.h"
#include "thimble/toolchain/process.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

std::string shown(const Bytes& scores) {
  const auto value = [](uint8_t byte) { return static_cast<int>(static_cast<int8_t>(byte)); };
  const auto best = std::ranges::max_element(scores, {}, value);
  std::string text = fmt::format("class {}, scores", best - scores.begin());
  for (const uint8_t score : scores) text += fmt::format(" {}", value(score));
  return text;
}

/// Lines that the example shows when these inputs come, one after the other.
std::vector<std::string> lines_of(const std::string& example, const std::string& model,
                                  const std::vector<Bytes>& inputs) {
  const TemporaryFolder folder;
  std::string rows;
  for (const Bytes& input : inputs) rows.append(input.begin(), input.end());
  write_file(folder.path() / "given.bin", std::array<std::string_view, 1>{rows});
  const ProcessResult result = run_process(
      {.arguments = {"env", "THIMBLE=" THIMBLE_PROGRAM, "FOLDER=" + folder.path().string(),
                     THIMBLE_SOURCE_DIR "/examples/run", example, model,
                     (folder.path() / "given.bin").string()},
       .working_folder = {}});
  EXPECT_TRUE(result.succeeded()) << result.out << result.err;
  std::vector<std::string> lines;
  std::istringstream text(result.out);
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("class ")) lines.push_back(line);
  }
  return lines;
}

// Golden data of a model with one int8 input and output: noise, and photographs if there are any.
void expect_golden_scores(const std::string& example, const std::string& model) {
  std::vector<Bytes> inputs;
  std::vector<std::string> expected;
  for (const auto& file : testing::golden_paths(model)) {
    for (const testing::Golden::Inference& inference : testing::load_golden(file).seeds) {
      inputs.push_back(inference.input_bytes().at(0));
      expected.push_back(shown(inference.outputs.at(0).data));
    }
  }
  ASSERT_GT(inputs.size(), 1U);
  EXPECT_EQ(lines_of(example, testing::model_path(model).string(), inputs), expected);
}

TEST(Examples, CameraLoopFindsPersonsOnPhotographs) {
  THIMBLE_NEEDS_SHARED();
  expect_golden_scores("camera", "person_detect");
}

TEST(Examples, AudioLoopHearsWords) {
  THIMBLE_NEEDS_SHARED();
  expect_golden_scores("audio", "kws_ref_model");
}

// Calls in turn, as the interpreter has them; the scores of the second model differ each time.
TEST(Examples, WakeWordLoopRemembersWhatItHeard) {
  THIMBLE_NEEDS_SHARED();
  for (const char* name : {"keyword_scrambled_8bit", "trained_lstm_int8"}) {
    const std::string model = testing::model_path(name).string();
    const Graph graph = load(model).graph;
    const Tensor& in = graph.tensor(graph.inputs[0].tensor);
    const Tensor& out = graph.tensor(graph.outputs[0].tensor);
    StateValues state = initial_state(graph);
    std::vector<Bytes> inputs;
    std::vector<std::string> expected;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      inputs.push_back(random_bytes(in.type, elements(in.shape), seed));
      const Bytes scores =
          interpret(graph, {inputs.back()}, state)[graph.outputs[0].tensor.index()];
      const std::vector<int32_t> values = reference::integers_from(scores, out.type);
      const auto best = std::ranges::max_element(values);
      expected.push_back(fmt::format("class {}, score {}", best - values.begin(), *best));
    }
    EXPECT_EQ(lines_of("wake_word", model, inputs), expected) << name;
  }
}

TEST(Examples, BothRunWithNetworksOfTheZoo) {
  for (const auto& [example, model] :
       {std::pair{"camera", "zoo:demo"}, {"audio", "zoo:micronet_kws_s"}}) {
    const Graph graph = prepare(load(model).graph, {.int8_io = true});
    std::vector<Bytes> inputs;
    std::vector<std::string> expected;
    for (uint64_t seed = 1; seed <= 2; ++seed) {
      const int64_t count = elements(graph.tensor(graph.inputs[0].tensor).shape);
      inputs.push_back(random_bytes(DType::kInt8, count, seed));
      expected.push_back(shown(interpret(graph, {inputs.back()})[graph.outputs[0].tensor.index()]));
    }
    EXPECT_EQ(lines_of(example, model, inputs), expected) << example;
  }
}

}  // namespace
}  // namespace thimble
