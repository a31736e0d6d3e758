// SPDX-License-Identifier: Apache-2.0
// The published models and single-operator cases: those of the supported operators are taken, all
// others refused with a message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/golden.h"
#include "tests/support/shared.h"
#include "thimble/import/tensor_file.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"

namespace thimble::testing {
namespace {

/// The message of a refusal; empty if the file was taken.
std::string refusal(const std::filesystem::path& file) {
  try {
    (void)import_tflite(file);
  } catch (const CompileError& error) {
    return error.what();
  }
  return {};
}

std::vector<std::filesystem::path> tflite_files(const char* folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(shared_folder() / folder)) {
    if (entry.path().extension() == ".tflite") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

class DeployedModel : public ::testing::TestWithParam<std::string> {};

TEST_P(DeployedModel, IsImportedWithTheShapesOfItsGolden) {
  THIMBLE_NEEDS_SHARED();
  const std::string& name = GetParam();
  const Graph graph = import_tflite(model_path(name));
  const TensorFile golden =
      read_safetensors(shared_folder() / "golden" / (name + ".golden.safetensors"));
  EXPECT_EQ(graph.name, name);
  for (const Op& op : graph.ops) {
    const auto& expected = golden.tensors.at("op." + std::to_string(op.file_index) + ".0");
    EXPECT_EQ(graph.tensor(op.outputs[0]).shape, expected.shape) << label(op);
    EXPECT_EQ(graph.tensor(op.outputs[0]).type, expected.type) << label(op);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, DeployedModel, ::testing::ValuesIn(issue_models()),
                         [](const auto& model) { return model.param; });

TEST(SharedModels, SeededNoiseIsTheGoldenInput) {
  THIMBLE_NEEDS_SHARED();
  const TensorFile golden =
      read_safetensors(shared_folder() / "golden" / "mobilenet_v2.golden.safetensors");
  const NamedTensor& input = golden.tensors.at("input.0");
  EXPECT_EQ(random_bytes(input.type, elements(input.shape), 1), input.data);
}

TEST(SharedModels, AreTakenOrRefusedWithTheirName) {
  THIMBLE_NEEDS_SHARED();
  const auto files = tflite_files("models");
  ASSERT_FALSE(files.empty());
  for (const std::filesystem::path& file : files) {
    const std::string message = refusal(file);
    if (message.empty()) continue;
    EXPECT_THAT(message, ::testing::StartsWith(file.string() + ": "));
  }
}

TEST(SharedModels, HaveTheirVariables) {
  THIMBLE_NEEDS_SHARED();
  const auto initial_of = [](const char* model) {
    std::vector<Bytes> result;
    for (const State& state :
         import_tflite(shared_folder() / "models" / (std::string(model) + ".tflite")).states)
      result.push_back(*state.initial);
    return result;
  };
  const std::vector<Bytes> svdf = initial_of("keyword_scrambled_8bit");
  ASSERT_EQ(svdf.size(), 7U);
  EXPECT_EQ(svdf[0], Bytes(512, static_cast<uint8_t>(-50)));  // the zero points
  EXPECT_EQ(svdf[6], Bytes(1024, static_cast<uint8_t>(-10)));
  Bytes lstm(80, static_cast<uint8_t>(-1));  // hidden state, then zeros of the cell state
  lstm.resize(240);
  EXPECT_EQ(initial_of("micro_speech_lstm"), std::vector<Bytes>{lstm});
}

TEST(SharedOps, AreAllTaken) {
  THIMBLE_NEEDS_SHARED();
  for (const std::filesystem::path& file : tflite_files("ops")) EXPECT_EQ(refusal(file), "");
}

TEST(SharedOps, EveryGoldenIsRead) {
  THIMBLE_NEEDS_SHARED();
  for (std::filesystem::path file : tflite_files("ops")) {
    file.replace_extension(".golden.safetensors");
    EXPECT_TRUE(read_safetensors(file).tensors.contains("output.0")) << file;
  }
}

}  // namespace
}  // namespace thimble::testing
