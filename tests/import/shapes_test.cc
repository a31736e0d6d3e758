// SPDX-License-Identifier: Apache-2.0
// --shape: shapes that the file leaves open, or that are to be others.
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

Graph shaped(const testing::TfliteBuilder& net, std::vector<NamedShape> shapes) {
  return import_tflite(net.bytes(), "net", "net.tflite", {.shapes = std::move(shapes)});
}

std::string shape_fault(const testing::TfliteBuilder& net, std::vector<NamedShape> shapes) {
  try {
    static_cast<void>(shaped(net, std::move(shapes)));
  } catch (const CompileError& error) {
    return error.what();
  }
  return "";
}

/// As converters write a network whose height and width are open.
testing::TfliteBuilder open_network() {
  testing::TfliteBuilder net;
  const int32_t x = net.tensor({1, 1, 1, 3}), y = net.tensor({1, 1, 1, 4});
  const int32_t mean = net.tensor({1, 4});
  net.op(tflite::BuiltinOperator::CONV_2D, {x, net.weights({4, 3, 3, 3}, 0), net.bias(4)}, {y}, [] {
    tflite::Conv2DOptionsT options;
    options.padding = tflite::Padding::SAME;
    options.stride_h = options.stride_w = 2;
    return options;
  }());
  net.op(tflite::BuiltinOperator::MEAN, {y, net.constant(std::vector<int32_t>{1, 2})}, {mean},
         tflite::ReducerOptionsT{});
  net.at(x).shape_signature = {-1, -1, -1, 3};
  net.at(y).shape_signature = {-1, -1, -1, 4};
  net.at(mean).shape_signature = {-1, 4};
  net.inputs({x});
  net.outputs({mean});
  return net;
}

TEST(Shapes, FollowFromTheInputs) {
  const testing::TfliteBuilder net = open_network();
  EXPECT_THAT(shape_fault(net, {}), HasSubstr("axis 1 is dynamic"));
  EXPECT_THAT(shape_fault(net, {}), HasSubstr("--shape"));
  const Graph graph = shaped(net, {{"", {1, 9, 6, 3}}});
  EXPECT_THAT(graph.tensor(graph.inputs[0].tensor).shape, ElementsAre(1, 9, 6, 3));
  EXPECT_THAT(graph.tensor(graph.ops[0].outputs[0]).shape, ElementsAre(1, 5, 3, 4));
  EXPECT_THAT(graph.tensor(graph.outputs[0].tensor).shape, ElementsAre(1, 4));
}

TEST(Shapes, ThatSelectChoosesFromAreNotItsConditions) {
  testing::TfliteBuilder net;
  const int32_t c = net.constant({}, tflite::TensorType::BOOL, {1});
  const int32_t x = net.tensor({1, 2}), y = net.tensor({1, 2}), out = net.tensor({1, 2});
  net.op(tflite::BuiltinOperator::SELECT, {c, x, y}, {out});
  net.at(x).shape_signature = net.at(y).shape_signature = {-1, 2};
  net.at(out).shape_signature = {-1, 2};
  net.inputs({x, y});
  net.outputs({out});
  const Graph graph = shaped(net, {{"t1", {5, 2}}, {"t2", {5, 2}}});
  EXPECT_THAT(graph.tensor(graph.outputs[0].tensor).shape, ElementsAre(5, 2));
}

TEST(Shapes, AreWhatTheSurveyAsksFor) {
  const testing::TfliteBuilder net = open_network();
  const Survey open = survey_tflite(net.bytes(), "net", "net.tflite");
  ASSERT_FALSE(open.obstacles.empty());
  EXPECT_THAT(open.obstacles[0].help, HasSubstr("--shape"));
  EXPECT_THAT(
      survey_tflite(net.bytes(), "net", "net.tflite", {.shapes = {{"", {1, 8, 8, 3}}}}).obstacles,
      IsEmpty());
}

TEST(Shapes, OfABatch) {
  testing::TfliteBuilder net;
  const int32_t x = net.tensor({1, 8}), y = net.tensor({1, 2});
  net.op(tflite::BuiltinOperator::FULLY_CONNECTED, {x, net.weights({2, 8}, 0), -1}, {y},
         tflite::FullyConnectedOptionsT{});
  net.inputs({x});
  net.outputs({y});
  const Graph graph = shaped(net, {{"t0", {5, 8}}});
  EXPECT_THAT(graph.tensor(graph.outputs[0].tensor).shape, ElementsAre(5, 2));
  EXPECT_THAT(shape_fault(net, {{"", {5, 7}}}),
              HasSubstr("FULLY_CONNECTED #0: does not take shapes 5x7, 2x8, which follow from"));
}

TEST(Shapes, RefuseOtherInputs) {
  const testing::TfliteBuilder net = open_network();
  EXPECT_EQ(shape_fault(net, {{"image", {1, 8, 8, 3}}}),
            "--shape: net.tflite has no input 'image'; it has 't0'");
  EXPECT_THAT(shape_fault(net, {{"t0", {8, 8, 3}}}), HasSubstr("has 4 axes, not 3 (8x8x3)"));
  EXPECT_EQ(shape_fault(net, {{"", {1, 100000, 100000, 3}}}),
            "--shape: 1x100000x100000x3 takes more than 2147483647 bytes");
}

/// Recorded shapes are what follows from those of the inputs.
/// Pixels twice as high and wide, then padded by what surrounds them; neither has a rank.
testing::TfliteBuilder open_ranks() {
  testing::TfliteBuilder net;
  const int32_t x = net.tensor({1, 4, 4, 2}), large = net.tensor({}), padded = net.tensor({});
  net.op(tflite::BuiltinOperator::RESIZE_NEAREST_NEIGHBOR, {x, net.constant({8, 8})}, {large},
         tflite::ResizeNearestNeighborOptionsT{});
  const int32_t paddings = net.constant({4, 2}, tflite::TensorType::INT32,
                                        testing::bytes_of<int32_t>({0, 0, 1, 1, 1, 1, 0, 0}));
  net.op(tflite::BuiltinOperator::MIRROR_PAD, {large, paddings}, {padded},
         tflite::MirrorPadOptionsT{});
  net.inputs({x});
  net.outputs({padded});
  return net;
}

TEST(OpenRanks, FollowFromTheOperators) {
  const testing::TfliteBuilder net = open_ranks();
  const Graph graph = shaped(net, {});
  EXPECT_THAT(graph.tensor(graph.outputs[0].tensor).shape, ElementsAre(1, 10, 10, 2));
  const Survey survey = survey_tflite(net.bytes(), "net", "net.tflite");
  EXPECT_THAT(survey.obstacles, IsEmpty());
  EXPECT_THAT(survey.tensors[1].shape, ElementsAre(1, 8, 8, 2));
  EXPECT_FALSE(survey.tensors[1].unknown_rank);
}

TEST(OpenRanks, ThatDoNotFollowAreNoScalars) {
  testing::TfliteBuilder net;
  const int32_t x = net.tensor({1, 4, 4, 2}), blocks = net.tensor({});
  net.op(
      tflite::BuiltinOperator::SPACE_TO_BATCH_ND,
      {x, net.constant({2, 2}),
       net.constant({2, 2}, tflite::TensorType::INT32, testing::bytes_of<int32_t>({0, 0, 0, 0}))},
      {blocks});
  net.inputs({x});
  net.outputs({blocks});
  const std::string fault = shape_fault(net, {});
  EXPECT_THAT(fault, HasSubstr("SPACE_TO_BATCH_ND #0: leaves the rank of its output open"));
  const Survey survey = survey_tflite(net.bytes(), "net", "net.tflite");
  EXPECT_TRUE(survey.tensors[1].unknown_rank);
  ASSERT_EQ(survey.obstacles.size(), 1U);
  EXPECT_EQ(survey.obstacles[0].reason, fault);
}

TEST(OpenRanks, OfFindingsFollow) {
  THIMBLE_NEEDS_SHARED();
  for (const char* name : {"open_rank_mirror_pad", "open_rank_resize", "known_rank_mirror_pad"}) {
    const auto file = testing::shared_folder() / "findings" / (std::string(name) + ".tflite");
    EXPECT_EQ(import_tflite(file).tensors.empty(), false) << name;
    EXPECT_THAT(survey_model(file).obstacles, IsEmpty()) << name;
  }
}

TEST(Shapes, AreThoseThatFilesRecord) {
  THIMBLE_NEEDS_SHARED();
  int same = 0, not_followed = 0;
  for (const char* folder : {"models", "ops"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(testing::shared_folder() / folder)) {
      if (entry.path().extension() != ".tflite") continue;
      Graph recorded;
      try {
        recorded = import_tflite(entry.path());
      } catch (const CompileError&) {
        continue;
      }
      ImportOptions options;
      for (const Port& port : recorded.inputs)
        options.shapes.push_back(
            {recorded.tensor(port.tensor).name, recorded.tensor(port.tensor).shape});
      try {
        EXPECT_EQ(import_tflite(entry.path(), options), recorded) << entry.path();
        ++same;
      } catch (const CompileError& error) {
        EXPECT_THAT(error.what(), HasSubstr("is not followed by --shape")) << entry.path();
        ++not_followed;
      }
    }
  }
  EXPECT_GT(same, 700);
  EXPECT_LT(not_followed, same / 10);
}

}  // namespace
}  // namespace thimble
