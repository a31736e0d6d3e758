// SPDX-License-Identifier: Apache-2.0
// BERT-Tiny: its layers as converters write them, programs of every planner, attention by query
// tokens, and what quantisation costs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "thimble/import/tensor_file.h"
#include "thimble/operators/operators.h"
#include "thimble/planners/planner.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/reference/interpreter.h"
#include "thimble/reference/real.h"
#include "thimble/rewrites/rewrites.h"
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
  const Program program = lower(graph, planned.schedule, place(graph, planned.schedule, {}));
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
  int64_t least = place(graph, planned.schedule, {}).arena_bytes();
  for (const FrontPoint& point : planned.front) least = std::min(least, point.arena_bytes);
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

/// The same layers in float32, weights as quantised.
RealValues real_output(Graph graph, const Bytes& input) {
  std::vector<RealValues> values(graph.tensors.size());
  for (size_t t = 0; t < values.size(); ++t) {
    Tensor& tensor = graph.tensors[t];
    if (tensor.is_constant()) {
      values[t] = dequantised(tensor, *tensor.data);
      continue;
    }
    if (graph.inputs[0].tensor.index() == t) values[t] = dequantised(tensor, input);
    tensor.type = DType::kFloat32;
  }
  for (const Op& op : graph.ops) {
    std::vector<const RealValues*> inputs;
    for (const TensorId t : op.inputs) inputs.push_back(&values[t.index()]);
    values[op.outputs[0].index()] = evaluate_real(graph, op, inputs);
  }
  return values[graph.outputs[0].tensor.index()];
}

/// Root of the mean squared error, as a ratio of the deviation of the real values.
double error_of(const std::string& network) {
  const Graph graph = build_zoo(network);
  const Bytes input = input_of(graph);
  const TensorId output = graph.outputs[0].tensor;
  const RealValues real = real_output(graph, input);
  const RealValues quantised =
      dequantised(graph.tensor(output), interpret(graph, {input})[output.index()]);
  double squares = 0, errors = 0;
  for (size_t i = 0; i < real.size(); ++i) {
    squares += double{real[i]} * real[i];
    errors += std::pow(double{real[i]} - quantised[i], 2);
  }
  return std::sqrt(errors / squares);
}

TEST(BertTiny, StaysCloseToRealNumbers) {
  for (const auto& [network, bound] : {std::pair{"bert_tiny:tokens=16,layers=1", 0.0},
                                       {"bert_tiny:tokens=16", 0.0},
                                       {"bert_tiny:tokens=128", 0.0},
                                       {"bert_tiny", 0.0}}) {
    const double error = error_of(network);
    fmt::print("{}: {:.4f}\n", network, error);
    EXPECT_LE(error, bound) << network;
  }
}

}  // namespace
}  // namespace thimble
