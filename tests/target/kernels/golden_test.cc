// SPDX-License-Identifier: Apache-2.0
// Every operator of the shared models through its kernels, with the recorded values as its inputs:
// the output is the recorded one, whole, in place and in chunks.
#include "tests/support/golden.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>
#include <map>

#include "tests/support/shared.h"
#include "tests/target/kernels/run_op.h"
#include "thimble/import/tflite.h"
#include "thimble/reference/interpreter.h"
#include "thimble/report/tensor_text.h"
#include "thimble/target/kernels/kernel_uses.h"

namespace thimble::testing {
namespace {

struct Counts {
  int computed = 0, in_place = 0, in_chunks = 0;
};

// Inputs of the network and outputs of all operators, as recorded with seed 1; of those that the
// importer made on the way to one of the file, as the reference computes them.
TensorValues recorded_values(const Graph& graph, const Golden& golden) {
  TensorValues values(graph.tensors.size());
  for (size_t k = 0; k < graph.inputs.size(); ++k) {
    const Port& port = graph.inputs[k];
    values[port.tensor.index()] = from_port(graph, port, golden.seeds.at(0).inputs.at(k).data);
  }
  for (const State& state : graph.states) values[state.in.index()] = *state.initial;
  std::map<int, int> outputs_before;  // of operators that the importer takes apart
  for (const Op& op : graph.ops) {
    if (op.file_index < 0) {
      values[op.outputs[0].index()] = interpret_op(graph, op, values).at(0);
      continue;
    }
    const int number = outputs_before[op.file_index]++;
    values[op.outputs[0].index()] = golden.op_outputs.at({op.file_index, number}).data;
  }
  return values;
}

std::vector<int32_t> chunks(const Graph& graph, const Op& op) {
  const auto extent = static_cast<int32_t>(graph.tensor(op.inputs[0]).shape[chunk_axis(graph, op)]);
  std::vector<int32_t> ends;
  for (int32_t end = (extent + 2) / 3; end < extent; end += (extent + 2) / 3) {
    ends.push_back(end);
  }
  ends.push_back(extent);
  return ends;
}

void expect_recorded(const Graph& graph, const Golden& golden, Counts& counts) {
  const TensorValues values = recorded_values(graph, golden);
  for (const Op& op : graph.ops) {
    SCOPED_TRACE(label(op));
    const Tensor& out = graph.tensor(op.outputs[0]);
    auto expect = [&](const Bytes& actual, int& count) {
      EXPECT_EQ(first_difference(values[op.outputs[0].index()], actual, out.type, out.shape,
                                 is_float32(graph, op) ? kFloatTolerance : 0),
                "");
      ++count;
    };
    ASSERT_TRUE(has_kernel(graph, op, Method::kCompute));
    expect(run_op(graph, op, Method::kCompute, values), counts.computed);
    if (has_kernel(graph, op, Method::kInPlace)) {
      expect(run_op(graph, op, Method::kInPlace, values), counts.in_place);
    }
    if (has_kernel(graph, op, Method::kAccumulate)) {
      expect(run_op_in_chunks(graph, op, values, chunks(graph, op)), counts.in_chunks);
    }
  }
}

void report(const Counts& counts) {
  std::cout << fmt::format("[ counts   ] {} operators computed, {} in place, {} in chunks\n",
                           counts.computed, counts.in_place, counts.in_chunks);
}

TEST(KernelGolden, EveryCaseOfTheOperatorsIsIdentical) {
  THIMBLE_NEEDS_SHARED();
  Counts counts;
  for (const OpsCase& c : ops_cases()) {
    SCOPED_TRACE(fmt::format("{}: {}", c.name, c.configuration));
    expect_recorded(import_tflite(c.model()), load_golden(c.golden()), counts);
  }
  report(counts);
  EXPECT_GE(counts.computed, 200);
  EXPECT_GE(counts.in_place, 1);
  EXPECT_GE(counts.in_chunks, 20);
}

class KernelGoldenModel : public ::testing::TestWithParam<std::string> {};

TEST_P(KernelGoldenModel, IsIdenticalAtEveryOperator) {
  THIMBLE_NEEDS_SHARED();
  Counts counts;
  for (const std::filesystem::path& file : golden_paths(GetParam())) {
    expect_recorded(import_tflite(model_path(GetParam())), load_golden(file), counts);
  }
  report(counts);
  EXPECT_GE(counts.computed, 1);
}

INSTANTIATE_TEST_SUITE_P(Models, KernelGoldenModel, ::testing::ValuesIn(issue_models()),
                         [](const auto& parameter) { return parameter.param; });
INSTANTIATE_TEST_SUITE_P(Floats, KernelGoldenModel, ::testing::ValuesIn(float_models()),
                         [](const auto& parameter) { return test_name(parameter.param); });

}  // namespace
}  // namespace thimble::testing
