// SPDX-License-Identifier: Apache-2.0
// Models of uint8 are imported as int8 and give what the kernels of uint8 give, bit for bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/workload.h"
#include "tests/uint8/uint8_interpreter.h"
#include "tests/uint8/uint8_network.h"
#include "thimble/export/tflite.h"
#include "thimble/import/survey.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"
#include "thimble/reference/interpreter.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Graph imported(const Graph& uint8) {
  return import_tflite(export_tflite(uint8), uint8.name, "uint8.tflite");
}

std::vector<Bytes> outputs_of(const Graph& graph, const std::vector<Bytes>& inputs) {
  const TensorValues values = interpret(graph, inputs);
  std::vector<Bytes> result;
  for (const Port& port : graph.outputs)
    result.push_back(to_port(graph, port, values[port.tensor.index()]));
  return result;
}

/// x 1x1x2 at zero point 10, weights 2x1x1x2 at zero point 200: both products of the first channel
/// are (20 - 10) * (0 - 200) and (5 - 10) * (255 - 200).
TEST(Uint8, AConvolutionByHand) {
  Graph g;
  const auto tensor = [&](const Shape& shape, float scale, int32_t zero, Bytes data) {
    g.tensors.push_back({.name = "t",
                         .shape = shape,
                         .type = DType::kUInt8,
                         .quantization = {.scales = {scale}, .zero_points = {zero}},
                         .data = data.empty() ? nullptr : std::make_shared<const Bytes>(data)});
    return TensorId{static_cast<int32_t>(g.tensors.size()) - 1};
  };
  const TensorId x = tensor({1, 1, 1, 2}, 0.5F, 10, {});
  const TensorId w = tensor({2, 1, 1, 2}, 0.25F, 200, {0, 255, 201, 199});
  const TensorId y = tensor({1, 1, 1, 2}, 4, 100, {});
  g.ops = {{Conv2D{.window = {}}, {x, w}, {y}, 0}};
  g.inputs = {{.tensor = x}};
  g.outputs = {{.tensor = y}};
  const Graph graph = imported(g);
  // -2275 and 15, times 2^30 / 2^31 and then 1/16, rounded each time: -1138 and 8, -71 and 1.
  EXPECT_EQ(outputs_of(graph, {{20, 5}}), std::vector<Bytes>({{29, 101}}));
  EXPECT_EQ(testing::interpret_uint8(g, {{20, 5}}), std::vector<Bytes>({{29, 101}}));
  EXPECT_EQ(graph.tensor(graph.inputs[0].tensor).type, DType::kUInt8);
  EXPECT_EQ(graph.tensor(graph.outputs[0].tensor).type, DType::kUInt8);
}

TEST(Uint8, AveragesThatAreTiesAreRoundedUp) {
  testing::Uint8Network net(1);
  const TensorId x = net.input({1, 1, 2, 1});
  const TensorId y = net.average_pool(x, net.window(x, 2, 1, false));
  Graph uint8 = net.finish({y});
  std::get<AveragePool2D>(uint8.ops[0].attributes).activation = Activation::kNone;
  const Graph graph = imported(uint8);
  EXPECT_EQ(outputs_of(graph, {{3, 4}}), std::vector<Bytes>({{4}}));  // -124.5 of int8
  EXPECT_EQ(outputs_of(graph, {{200, 201}}), std::vector<Bytes>({{201}}));
}

/// Input 0, scale 0.5, zero point 10, into 0.25 and 100: 2 * raw + (100 - 20). Input 1 is copied.
TEST(Uint8, AConcatenationRescalesItsInputs) {
  testing::Uint8Network net(1);
  const TensorId x = net.input({1, 1, 3, 1}), y = net.input({1, 1, 3, 1});
  Graph uint8 = net.finish({net.concat(x, y)});
  uint8.tensor(x).quantization = {{0.5F}, {10}, 0};
  for (const TensorId t : {y, uint8.outputs[0].tensor})
    uint8.tensor(t).quantization = {{0.25F}, {100}, 0};
  const std::vector<Bytes> inputs = {{0, 10, 250}, {1, 2, 3}}, wanted = {{80, 1, 100, 2, 255, 3}};
  const Graph graph = imported(uint8);
  EXPECT_EQ(outputs_of(graph, inputs), wanted);
  EXPECT_EQ(outputs_of(rewrite(graph), inputs), wanted);
  EXPECT_EQ(std::ranges::count_if(graph.ops,
                                  [](const Op& op) {
                                    return op.attributes ==
                                           Attributes(Quantize{}, Arithmetic::kTfliteUint8);
                                  }),
            1);
  uint8.tensor(uint8.outputs[0].tensor).quantization.scales = {1e-40F};
  EXPECT_THROW((void)imported(uint8), CompileError);
}

TEST(Uint8, RandomNetworksComputeWhatKernelsOfUint8Do) {
  const uint64_t count = testing::random_cases(400, 10'000);
  for (uint64_t seed = 1; seed <= count; ++seed) {
    SCOPED_TRACE(seed);
    const Graph uint8 = testing::random_uint8_network(seed);
    const Graph graph = imported(uint8);
    const std::vector<Bytes> inputs = testing::random_uint8_inputs(uint8, seed);
    const std::vector<Bytes> wanted = testing::interpret_uint8(uint8, inputs);
    ASSERT_EQ(outputs_of(graph, inputs), wanted);
    ASSERT_EQ(outputs_of(rewrite(graph), inputs), wanted);
  }
}

TEST(Uint8, WeightsThatFitInt8HaveNoZeroPoint) {
  for (const int64_t spread : {60, 255}) {
    testing::Uint8Network net(3);
    const TensorId x = net.input({1, 4, 4, 3});
    const Graph graph = imported(net.finish({net.conv(x, 4, net.window(x, 3, 1, true), spread)}));
    const Tensor& weights = graph.tensor(graph.ops.at(1).inputs.at(1));
    EXPECT_EQ(weights.type, DType::kInt8);
    EXPECT_EQ(weights.quantization.zero_points == std::vector<int32_t>{0}, spread == 60);
  }
}

TEST(Uint8, WithIoTypeInt8TheEndsAreInt8) {
  const Graph graph = integer_io(imported(testing::random_uint8_network(5)));
  EXPECT_EQ(graph.tensor(graph.inputs[0].tensor).type, DType::kInt8);
  EXPECT_EQ(graph.tensor(graph.outputs[0].tensor).type, DType::kInt8);
}

Graph with_op(Attributes attributes) {
  testing::Uint8Network net(1);
  const TensorId x = net.input({1, 4, 4, 2});
  Graph g = net.finish({net.max_pool(x, net.window(x, 3, 1, true))});
  g.ops[0].attributes = std::move(attributes);
  return g;
}

TEST(Uint8, RefusesWhatComputesOtherwise) {
  const Graph graph = with_op(Elu{});
  try {
    (void)imported(graph);
    FAIL();
  } catch (const CompileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("ELU #0"));
    EXPECT_THAT(error.what(), HasSubstr("is not supported of uint8: "));
  }
  const Bytes file = export_tflite(graph);
  const Survey survey = survey_tflite(file, "net", "net.tflite");
  ASSERT_EQ(survey.obstacles.size(), 1U);
  EXPECT_THAT(survey.obstacles[0].reason, HasSubstr("ELU is not supported of uint8"));
  EXPECT_THAT(survey.obstacles[0].help, HasSubstr("int8"));
}

TEST(Uint8, SurveysFindNothingThatStopsIt) {
  const Bytes file = export_tflite(testing::random_uint8_network(9));
  const Survey survey = survey_tflite(file, "net", "net.tflite");
  EXPECT_THAT(survey.obstacles, IsEmpty());
  EXPECT_EQ(survey.tensors[0].type, "UINT8");
}

// Only moved, or quantised to int8 at once: today's converters write that at the ends.
TEST(Uint8, FilesThatOnlyOpenInUint8StayAsTheyAre) {
  testing::Uint8Network net(1);
  const TensorId x = net.input({1, 4, 4, 2});
  const TensorId y = net.flat(x);
  Graph g = net.finish({net.flat(y)});
  g.ops[1].attributes = Quantize{};
  Tensor& out = g.tensor(g.outputs[0].tensor);
  out.type = DType::kInt8;
  out.quantization.zero_points[0] -= 128;
  const Graph graph = imported(g);
  EXPECT_EQ(graph.ops.size(), 2U);
  EXPECT_EQ(graph.tensor(graph.ops[0].outputs[0]).type, DType::kUInt8);
}

}  // namespace
}  // namespace thimble
