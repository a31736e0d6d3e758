// SPDX-License-Identifier: Apache-2.0
// The published models and single-operator cases: those of the supported operators are taken, all
// others refused with a message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>

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

class DeployedModel : public ::testing::TestWithParam<const char*> {};

TEST_P(DeployedModel, IsImportedWithTheShapesOfItsGolden) {
  THIMBLE_NEEDS_SHARED();
  const std::string name = GetParam();
  const Graph graph = import_tflite(shared_folder() / "models" / (name + ".tflite"));
  const TensorFile golden =
      read_safetensors(shared_folder() / "golden" / (name + ".golden.safetensors"));
  EXPECT_EQ(graph.name, name);
  for (const Op& op : graph.ops) {
    const auto& expected = golden.tensors.at("op." + std::to_string(op.file_index) + ".0");
    EXPECT_EQ(graph.tensor(op.outputs[0]).shape, expected.shape) << label(op);
    EXPECT_EQ(graph.tensor(op.outputs[0]).type, expected.type) << label(op);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, DeployedModel,
                         ::testing::Values("person_detect", "vww_96_int8", "kws_ref_model",
                                           "pretrainedResnet_quant", "ad01_int8",
                                           "micro_speech_quantized", "tinyengine_vww",
                                           "mcunetv2_large", "mobilenet_v2"));

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

TEST(SharedModels, RefusesTheRecurrentOnesByOperator) {
  THIMBLE_NEEDS_SHARED();
  EXPECT_THAT(refusal(shared_folder() / "models" / "trained_lstm_int8.tflite"),
              ::testing::HasSubstr("UNIDIRECTIONAL_SEQUENCE_LSTM #0: is not supported"));
}

struct OpsCase {
  std::string name, op, type;
};

std::vector<OpsCase> ops_index() {
  std::ifstream file(shared_folder() / "ops" / "INDEX.csv");
  std::vector<OpsCase> cases;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const size_t first = line.find(',');
    const size_t second = line.find(',', first + 1);
    const size_t third = line.find(',', second + 1);
    cases.push_back({.name = line.substr(0, first),
                     .op = line.substr(first + 1, second - first - 1),
                     .type = line.substr(second + 1, third - second - 1)});
  }
  return cases;
}

std::filesystem::path ops_file(const OpsCase& ops_case) {
  return shared_folder() / "ops" / (ops_case.name + ".tflite");
}

constexpr std::array<std::string_view, 20> kInt8Operators = {"ADD",
                                                             "AVERAGE_POOL_2D",
                                                             "BATCH_MATMUL",
                                                             "CONCATENATION",
                                                             "CONV_2D",
                                                             "DEPTHWISE_CONV_2D",
                                                             "FULLY_CONNECTED",
                                                             "LOGISTIC",
                                                             "MAX_POOL_2D",
                                                             "MEAN",
                                                             "MUL",
                                                             "PAD",
                                                             "PADV2",
                                                             "RELU",
                                                             "RELU6",
                                                             "RESHAPE",
                                                             "SLICE",
                                                             "SOFTMAX",
                                                             "STRIDED_SLICE",
                                                             "TRANSPOSE"};

bool has_to_be_taken(const OpsCase& ops_case) {
  const bool conversion = ops_case.op == "QUANTIZE" || ops_case.op == "DEQUANTIZE";
  const bool known = std::ranges::find(kInt8Operators, ops_case.op) != kInt8Operators.end();
  return conversion || (known && ops_case.type == "int8");
}

TEST(SharedOps, TakesEveryInt8CaseOfTheSupportedOperators) {
  THIMBLE_NEEDS_SHARED();
  int taken = 0;
  for (const OpsCase& ops_case : ops_index()) {
    if (!has_to_be_taken(ops_case)) continue;
    EXPECT_EQ(refusal(ops_file(ops_case)), "");
    ++taken;
  }
  EXPECT_GE(taken, 190);
}

TEST(SharedOps, AllOthersAreTakenOrRefusedWithTheirName) {
  THIMBLE_NEEDS_SHARED();
  int refused = 0;
  for (const std::filesystem::path& file : tflite_files("ops")) {
    const std::string message = refusal(file);
    if (message.empty()) continue;
    ++refused;
    EXPECT_THAT(message, ::testing::StartsWith(file.string() + ": "));
    EXPECT_THAT(message, ::testing::HasSubstr("support"));
  }
  EXPECT_GT(refused, 0);
}

TEST(SharedOps, EveryGoldenIsRead) {
  THIMBLE_NEEDS_SHARED();
  for (const OpsCase& ops_case : ops_index()) {
    const std::filesystem::path file =
        shared_folder() / "ops" / (ops_case.name + ".golden.safetensors");
    EXPECT_TRUE(read_safetensors(file).tensors.contains("output.0")) << file;
  }
}

}  // namespace
}  // namespace thimble::testing
