// SPDX-License-Identifier: Apache-2.0
// What is said of models that cannot be compiled: everything that stops them, and their sizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/import/tflite_builder.h"
#include "tests/support/shared.h"
#include "thimble/import/model_file.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Survey survey_of(const testing::TfliteBuilder& net) {
  return survey_tflite(net.bytes(), "net", "net.tflite");
}

TEST(Survey, NamesEverythingThatStopsAModel) {
  const Survey survey = survey_of(testing::unsupported_network());
  ASSERT_EQ(survey.obstacles.size(), 2U);
  EXPECT_EQ(survey.obstacles[0].reason, "TOPK_V2 is not supported");
  EXPECT_THAT(survey.obstacles[0].ops, ElementsAre(0, 2));
  EXPECT_THAT(
      survey.obstacles[1].reason,
      HasSubstr("FULLY_CONNECTED of int8, float32 -> float32 is not supported; required: "));
  EXPECT_THAT(survey.obstacles[1].reason,
              HasSubstr("; found: int8 1x16 with scale 0.5 and zero point -3, float32 8x16 -> "
                        "float32 1x8"));
  EXPECT_THAT(survey.obstacles[1].help, HasSubstr("quantise"));
  EXPECT_THAT(survey.obstacles[1].ops, ElementsAre(3));
  ASSERT_EQ(survey.ops.size(), 4U);
  EXPECT_EQ(survey.ops[3].name, "FULLY_CONNECTED");
  EXPECT_THAT(survey.ops[3].inputs, ElementsAre(2, 4, -1));
  EXPECT_EQ(survey.tensors[4].type, "FLOAT32");
  EXPECT_TRUE(survey.tensors[4].constant);
  EXPECT_EQ(survey.tensors[4].size_bytes, 512);
  EXPECT_THAT(survey.outputs, ElementsAre(3, 5));
}

TEST(Survey, WhatOneRuleStopsIsOneObstacle) {
  testing::TfliteBuilder net;
  const int32_t x = net.tensor({4}), y = net.tensor({4}), z = net.tensor({4});
  net.op(tflite::BuiltinOperator::RELU6, {x}, {y});
  net.op(tflite::BuiltinOperator::RELU6, {y}, {z});
  net.at(y).quantization->scale = {0.25F};
  net.inputs({x});
  net.outputs({z});
  const Survey survey = survey_of(net);
  ASSERT_EQ(survey.obstacles.size(), 1U);
  EXPECT_THAT(survey.obstacles[0].ops, ElementsAre(0, 1));
  EXPECT_THAT(survey.obstacles[0].reason,
              HasSubstr("int8 4 with scale 0.5 and zero point -3 -> int8 4 with scale 0.25"));
}

TEST(Survey, OfAModelThatIsTakenHasNoObstacle) {
  EXPECT_THAT(survey_of(testing::small_network()).obstacles, IsEmpty());
}

TEST(Survey, TensorsStopTheirOperatorsOnce) {
  testing::TfliteBuilder net = testing::small_network();
  net.at(3).is_variable = true;
  net.at(5).type = tflite::TensorType::FLOAT16;
  net.at(7).shape_signature = {1, -1};
  const Survey survey = survey_of(net);
  ASSERT_EQ(survey.obstacles.size(), 3U);
  for (const Obstacle& obstacle : survey.obstacles) {
    EXPECT_THAT(obstacle.ops, IsEmpty()) << obstacle.reason;
    EXPECT_EQ(obstacle.tensors.size(), 1U) << obstacle.reason;
  }
  EXPECT_EQ(survey.obstacles[0].reason,
            "variable tensors are not supported but as states of SVDF and "
            "UNIDIRECTIONAL_SEQUENCE_LSTM");
  EXPECT_THAT(survey.obstacles[0].help, HasSubstr("state"));
  EXPECT_TRUE(survey.tensors[3].variable);
  EXPECT_EQ(survey.tensors[5].size_bytes, 2 * 64);
  EXPECT_EQ(survey.tensors[7].size_bytes, std::nullopt) << "open";
}

TEST(Survey, RefusesWhatIsDamaged) {
  testing::TfliteBuilder net = testing::unsupported_network();
  net.op_at(1).inputs = {99};
  EXPECT_THROW(survey_of(net), CompileError);
  testing::TfliteBuilder code = testing::unsupported_network();
  code.op_at(0).opcode_index = 99;
  EXPECT_THROW(survey_of(code), CompileError);
}

// The first of these operators is taken apart, and what its parts hand on has numbers behind the
// file's own.
TEST(Survey, RefusesTensorsThatOnlyStepsHave) {
  testing::TfliteBuilder net;
  const int32_t x = net.tensor({1, 4}), y = net.tensor({2, 1, 4}), z = net.tensor({1, 4});
  net.op(tflite::BuiltinOperator::PACK, {x, x}, {y}, tflite::PackOptionsT{});
  net.op_at(0).builtin_options.AsPackOptions()->values_count = 2;
  net.op(tflite::BuiltinOperator::RELU, {z + 1}, {z});
  net.inputs({x});
  net.outputs({y});
  EXPECT_THROW(survey_of(net), CompileError);
  EXPECT_THROW((void)import_tflite(net.bytes(), "net", "net.tflite"), CompileError);
}

TEST(Survey, ShowsOutputsThatAreNoTensors) {
  testing::TfliteBuilder net = testing::small_network();
  net.outputs({-1, 8});
  EXPECT_THAT(survey_of(net).outputs, ElementsAre(-1, 8));
  EXPECT_THROW((void)import_tflite(net.bytes(), "net", "net.tflite"), CompileError);
}

TEST(Survey, AgreesWithTheImporterOnAllModels) {
  THIMBLE_NEEDS_SHARED();
  int taken = 0;
  for (const char* folder : {"models", "ops"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(testing::shared_folder() / folder)) {
      if (entry.path().extension() != ".tflite") continue;
      bool imports = true;
      try {
        static_cast<void>(import_tflite(entry.path()));
      } catch (const CompileError&) {
        imports = false;
      }
      EXPECT_EQ(survey_model(entry.path()).obstacles.empty(), imports) << entry.path();
      taken += imports ? 1 : 0;
    }
  }
  EXPECT_GT(taken, 1000);
}

}  // namespace
}  // namespace thimble
