// SPDX-License-Identifier: Apache-2.0
// BERT-Tiny: its layers as converters write them, programs of every planner, attention by query
// tokens, and what quantisation costs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "thimble/import/tensor_file.h"
#include "thimble/operators/operators.h"
#include "thimble/planners/registry.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/reference/interpreter.h"
#include "thimble/reference/real.h"
#include "thimble/rewrites/rewrites.h"
#include "zoo/attention.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

Bytes input_of(const Graph& graph) {
  return random_bytes(DType::kInt8, elements(graph.tensor(graph.inputs[0].tensor).shape), 1);
}

TEST(BertTiny, HasTheMacsOfItsLayers) {
  // A layer of T tokens: four products of T x 128 x 128, scores and context of T x T x 128 each
  // (both heads), the feed-forward's two of T x 128 x 512.
  EXPECT_EQ(macs(build_zoo("bert_tiny")), 2 * (512 * (4 * 16'384 + 2 * 65'536) + 2 * 33'554'432));
  EXPECT_EQ(macs(build_zoo("bert_tiny:tokens=8,layers=1,hidden=64,heads=4")),
            8 * (4 * 4'096 + 2 * 16'384) + 2 * 8 * 8 * 64);
}

TEST(BertTiny, NormalisesAsConvertersWriteIt) {
  const Graph graph = build_zoo("bert_tiny:tokens=4,layers=1");
  std::map<std::string, int> counts;
  for (const Op& op : graph.ops) ++counts[name(op.attributes)];
  const std::map<std::string, int> expected = {{"FULLY_CONNECTED", 6},
                                               {"RESHAPE", 4},
                                               {"TRANSPOSE", 4},
                                               {"BATCH_MATMUL", 2},
                                               {"SOFTMAX", 1},
                                               {"MEAN", 4},
                                               {"RSQRT", 2},
                                               {"GELU", 1},
                                               {"SQUARED_DIFFERENCE", 2},
                                               {"SUB", 2},
                                               {"MUL", 7},
                                               {"ADD", 6}};
  EXPECT_EQ(counts, expected);
}

class BertTinyPlanned : public ::testing::TestWithParam<std::string> {};

TEST_P(BertTinyPlanned, EqualsTheReference) {
  const Graph graph = rewrite(build_zoo("bert_tiny:tokens=24"));
  const PlannerChoice choice = choose_planner(GetParam());
  const PlannerAnswer answer = choice.planner->plan(graph, {}, choice.options);
  const auto& planned = std::get<Planned>(answer);
  const Program program = lower(graph, planned.schedule(), place(graph, planned.schedule(), {}));
  ASSERT_EQ(verify(graph, program).fault, "");
  const std::vector<Bytes> inputs = {input_of(graph)};
  const TensorValues values = interpret(graph, inputs);
  EXPECT_EQ(execute(program, inputs).at(0), values[graph.outputs[0].tensor.index()]);
}

std::vector<std::string> exact_planners() {
  std::vector<std::string> names;
  for (const Planner& planner : planners()) names.emplace_back(planner.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Planners, BertTinyPlanned, ::testing::ValuesIn(exact_planners()),
                         [](const auto& planner) { return planner.param; });

int64_t arena_bytes(const Graph& graph, const char* planner) {
  Limits limits;
  limits.max_latency = INFINITY;
  const PlannerChoice choice = choose_planner(planner);
  const auto planned = std::get<Planned>(choice.planner->plan(graph, limits, choice.options));
  int64_t least = place(graph, planned.schedule(), {}).arena_bytes();
  for (const PricedPlan& plan : planned.front) least = std::min(least, plan.arena().size_bytes);
  return least;
}

// Keys and values (2 x 16,384 B) and x, which the output lies over, stay; the rest is one token.
TEST(BertTiny, AttentionIsSplitByQueryTokens) {
  const Graph graph = rewrite(build_zoo("bert_tiny:tokens=128"));
  const int64_t whole = arena_bytes(graph, "reorder");
  EXPECT_GE(whole, 2 * 32'768 + 16'384);  // scores and shares of all tokens, and x
  for (const char* planner : {"stream", "auto"}) {
    const int64_t split = arena_bytes(graph, planner);
    EXPECT_LE(split, 3 * 16'384 + 2'048) << planner;
    EXPECT_LE(split, whole * 2 / 3) << planner;
  }
}

// Means over channels, what is broadcast back from them, and constants per channel: one token each.
TEST(BertTiny, LayerNormalisationFollowsTokens) {
  zoo::Builder net("normalised", 1);
  const TensorId wide = zoo::linear(net, net.input({1, 64, 8}), 96);
  const Graph graph = net.finish({zoo::linear(net, zoo::layer_norm(net, wide, 1e-12F), 8)});
  EXPECT_GE(arena_bytes(graph, "reorder"), 2 * 64 * 96);
  for (const char* planner : {"stream", "auto"}) {
    // The input, over which the output lies, and one token of up to nine values of 96 bytes.
    EXPECT_LE(arena_bytes(graph, planner), 64 * 8 + 9 * 96 + 64) << planner;
  }
}

/// A float32 network of the same layers, weights as quantised; for evaluate_real.
Graph in_float32(Graph graph) {
  for (Tensor& tensor : graph.tensors) {
    if (!tensor.is_constant()) tensor.type = DType::kFloat32;
  }
  return graph;
}

RealValues real_value(const Graph& graph, const Op& op, const std::vector<RealValues>& values) {
  std::vector<const RealValues*> inputs;
  for (const TensorId t : op.inputs) inputs.push_back(&values[t.index()]);
  return evaluate_real(graph, op, inputs);
}

/// All constants, and the tensors that `bytes` has.
std::vector<RealValues> dequantised_values(const Graph& graph, const TensorValues& bytes) {
  std::vector<RealValues> values(graph.tensors.size());
  for (size_t t = 0; t < values.size(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    const Bytes& known = tensor.is_constant() ? *tensor.data : bytes[t];
    if (!known.empty()) values[t] = dequantised(tensor, known);
  }
  return values;
}

/// Root of the mean squared error of the output, as a ratio of that of the real values.
double error_of(const std::string& network) {
  const Graph graph = build_zoo(network), real = in_float32(graph);
  const Bytes input = input_of(graph);
  const size_t output = graph.outputs[0].tensor.index();
  TensorValues bytes(graph.tensors.size());
  bytes[graph.inputs[0].tensor.index()] = input;
  std::vector<RealValues> values = dequantised_values(graph, bytes);
  for (const Op& op : graph.ops) values[op.outputs[0].index()] = real_value(real, op, values);
  const RealValues quantised =
      dequantised(graph.tensors[output], interpret(graph, {input})[output]);
  double squares = 0, errors = 0;
  for (size_t i = 0; i < quantised.size(); ++i) {
    squares += double{values[output][i]} * values[output][i];
    errors += std::pow(double{values[output][i]} - quantised[i], 2);
  }
  return std::sqrt(errors / squares);
}

// Measured: 0.051, 0.120, 0.157 and 0.167. Means and variances of a token are kept in eight bits,
// as converters keep them, and each layer normalises what errors the one before has left.
TEST(BertTiny, StaysCloseToRealNumbers) {
  EXPECT_LE(error_of("bert_tiny:tokens=16,layers=1"), 0.07);
  EXPECT_LE(error_of("bert_tiny:tokens=16"), 0.15);
  EXPECT_LE(error_of("bert_tiny:tokens=128"), 0.2);
  EXPECT_LE(error_of("bert_tiny"), 0.2);
}

/// The most that any element of the output is away from the real result for the very same operands,
/// in steps of its scale; what the type cannot hold counts as its largest value.
double steps_off(const Graph& graph, const Op& op, const std::vector<RealValues>& values) {
  const Tensor& out = graph.tensor(op.outputs[0]);
  const double scale = out.quantization.scales[0], zero = out.quantization.zero_points[0];
  const RealValues real = real_value(in_float32(graph), op, values);
  double most = 0;
  for (size_t i = 0; i < real.size(); ++i) {
    const double held = std::clamp<double>(real[i], (-128 - zero) * scale, (127 - zero) * scale);
    most = std::max(most, std::abs(held - double{values[op.outputs[0].index()][i]}) / scale);
  }
  return most;
}

TEST(BertTiny, EveryOperatorIsWithinOneStepOfRealNumbers) {
  const Graph graph = build_zoo("bert_tiny:tokens=16");
  const std::vector<RealValues> values =
      dequantised_values(graph, interpret(graph, {input_of(graph)}));
  for (const Op& op : graph.ops) EXPECT_LE(steps_off(graph, op, values), 1) << label(op);
}

}  // namespace
}  // namespace thimble
