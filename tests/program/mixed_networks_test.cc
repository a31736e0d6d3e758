// SPDX-License-Identifier: Apache-2.0
// Random networks of all operators and types through every planner: verified, and executed as the
// reference computes them. What fails is printed as a test, of as few operators as it can be.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <exception>
#include <map>

#include "tests/support/mixed_network.h"
#include "tests/support/random_network.h"
#include "tests/support/random_op.h"
#include "tests/support/workload.h"
#include "thimble/planners/registry.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/report/tensor_text.h"
#include "thimble/rewrites/rewrites.h"
#include "thimble/target/target.h"

namespace thimble {
namespace {

using testing::mixed_network;

std::string fault_of(const Graph& graph, const Planner& planner, const Core& core,
                     const std::vector<Bytes>& inputs, const std::vector<Bytes>& expected) {
  const auto planned =
      std::get<Planned>(planner.plan(graph, {.sram_bytes = 64 * 1024, .core = core}, {}));
  const Program program =
      lower(graph, planned.schedule(), place(graph, planned.schedule(), {.work = 1'000'000}));
  std::string fault = verify(graph, program).fault;
  if (!fault.empty()) return fault;
  const std::vector<Bytes> outputs = execute(program, inputs);
  for (size_t k = 0; k < outputs.size(); ++k) {
    const Tensor& t = graph.tensor(graph.outputs[k].tensor);
    const std::string difference = first_difference(expected[k], outputs[k], t.type, t.shape);
    if (!difference.empty()) return fmt::format("output {}: {}", k, difference);
  }
  return "";
}

std::string fault(const Graph& plain, const std::string& core = "") {
  try {
    const std::vector<Bytes> values = testing::random_inputs(plain, 1);
    std::vector<Bytes> inputs;
    for (const Port& port : plain.inputs) inputs.push_back(values[port.tensor.index()]);
    const std::vector<Bytes> expected = testing::expected_outputs(plain, inputs);
    for (const bool rewritten : {false, true}) {
      const Graph graph = rewritten ? rewrite(plain) : plain;
      for (const Planner& planner : planners()) {
        const std::string found =
            fault_of(graph, planner, generic_target(core).core, inputs, expected);
        if (!found.empty())
          return fmt::format("{}{}: {}", planner.name, rewritten ? " rewritten" : "", found);
      }
    }
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

// All but few operators are in some network with others.
TEST(MixedNetworks, AreVerifiedAndEqualTheReference) {
  const uint64_t networks = testing::random_cases(500 / testing::kOneIn, 20'000);
  std::map<std::string, int> joined;
  size_t operators = 0;
  int failures = 0;
  for (uint64_t seed = 1; seed <= networks && failures < 5; ++seed) {
    const Graph graph = mixed_network(seed);
    const std::string core = std::array{"", "cortex-m4", "cortex-m55"}[seed % 3];
    operators += graph.ops.size();
    for (const Op& op : graph.ops) joined[name(op.attributes)] += graph.ops.size() > 1 ? 1 : 0;
    const std::string found = fault(graph, core);
    if (found.empty()) continue;
    ++failures;
    const auto of_core = [&](const Graph& smaller) { return fault(smaller, core); };
    ADD_FAILURE() << found << " (" << core << ")\n"
                  << testing::as_test(seed, testing::shrunk(seed, of_core));
  }
  fmt::print("{} networks, {} operators of {} kinds\n", networks, operators, joined.size());
  EXPECT_GT(operators, 3 * networks);
  if (networks >= 500) {
    EXPECT_GT(std::ranges::count_if(joined, [](const auto& kind) { return kind.second > 10; }), 40);
  }
}

// What nights found.
TEST(MixedNetworks, ThatHadFaultsHaveNone) {
  EXPECT_EQ(fault(mixed_network(2087, {3})), "");              // the sign of a zero in FLOOR_MOD
  EXPECT_EQ(fault(mixed_network(5932, {3, 5, 6})), "");        // in FLOOR_DIV
  EXPECT_EQ(fault(mixed_network(3887, {2, 6})), "");           // no tiles for a group
  EXPECT_EQ(fault(mixed_network(3500, {1, 2, 3, 4, 6})), "");  // copies of int64
  EXPECT_EQ(fault(mixed_network(6225, {1, 3, 4, 6})), "");     // a greedy order lost an operator
  // A transposed convolution of a constant, as `tinyseg` lists it.
  EXPECT_EQ(fault(mixed_network(1422, {2, 3, 4, 5, 6})), "");
  // A constant whose channels do not lie side by side.
  EXPECT_EQ(fault(mixed_network(3397, {1, 2, 3, 4, 5, 6}), "cortex-m4"), "");
  EXPECT_EQ(fault(mixed_network(4364, {0, 1, 4, 5}), "cortex-m55"), "");
  EXPECT_EQ(fault(mixed_network(4415, {1, 3, 5}), "cortex-m55"), "");
}

/// Each position of the last axis alone.
Graph unpacked(const Shape& shape) {
  Graph graph;
  graph.name = "unpacked";
  const auto last = static_cast<int>(shape.size()) - 1;
  graph.tensors.push_back({"x", shape, DType::kInt8, {}, nullptr});
  graph.inputs.push_back({TensorId{0}, {}});
  for (int64_t at = 0; at < shape.back(); ++at) {
    const TensorId out{static_cast<int32_t>(at) + 1};
    Slice slice{
        .begin = Shape(shape.size(), 0), .stride = Shape(shape.size(), 1), .dropped = {last}};
    slice.begin.back() = at;
    graph.tensors.push_back(
        {fmt::format("y{}", at), Shape(shape.begin(), shape.end() - 1), DType::kInt8, {}, nullptr});
    graph.ops.push_back({slice, {TensorId{0}}, {out}});
    graph.outputs.push_back({out, {}});
  }
  return graph;
}

// Heads of detectors have five.
TEST(MixedNetworks, OfFiveAxesAreUnpacked) {
  EXPECT_EQ(fault(unpacked({1, 8, 2, 2, 2})), "");
  EXPECT_EQ(fault(unpacked({1, 5, 4, 3, 3})), "");
  EXPECT_EQ(fault(unpacked({1, 2, 5, 4, 1, 2})), "");
}

// Groups of one channel are a depthwise convolution to the kernels.
TEST(MixedNetworks, OfGroupsOfOneChannelInInt16) {
  int seen = 0;
  for (uint64_t draw = 0; seen < 3; ++draw) {
    const Graph graph = testing::random_op_graph(draw * std::variant_size_v<AnyOperator>);
    const auto* conv = std::get_if<Conv2D>(&graph.ops[0].attributes);
    ASSERT_NE(conv, nullptr);
    const Op& op = graph.ops[0];
    const Shape& weights = graph.tensor(op.inputs[1]).shape;
    const Tensor& x = graph.tensor(op.inputs[0]);
    if (x.type != DType::kInt16 || weights[3] != 1 || weights[0] != x.shape[3] || weights[0] < 2)
      continue;
    ++seen;
    for (const char* core : {"cortex-m4", "cortex-m55"}) EXPECT_EQ(fault(graph, core), "") << draw;
  }
}

// A fault that one operator brings is found without the others.
TEST(MixedNetworks, AreShrunkToTheFault) {
  const auto has_transpose = [](const Graph& graph) {
    return std::ranges::any_of(
               graph.ops,
               [](const Op& op) { return std::holds_alternative<Transpose>(op.attributes); })
               ? std::string("transpose")
               : std::string();
  };
  int seen = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    if (has_transpose(mixed_network(seed)).empty()) continue;
    const std::set<int> left_out = testing::shrunk(seed, has_transpose);
    const Graph graph = mixed_network(seed, left_out);
    EXPECT_EQ(has_transpose(graph), "transpose");
    EXPECT_LE(graph.ops.size(), 2U) << testing::as_test(seed, left_out);
    ++seen;
  }
  EXPECT_GT(seen, 5);
}

}  // namespace
}  // namespace thimble
