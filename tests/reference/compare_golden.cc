// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/compare_golden.h"

#include <fmt/format.h>

#include <map>

#include "thimble/reference/interpreter.h"
#include "thimble/report/tensor_text.h"

namespace thimble::testing {
namespace {

/// Compares op.N.J of seed 1; returns the first difference, with its operator.
std::string compare_operators(const Graph& graph, const Golden& golden, const TensorValues& values,
                              Counts& counts) {
  std::map<int, int> outputs_before;  // of operators that the importer takes apart
  for (const Op& op : graph.ops) {
    if (op.file_index < 0) continue;  // the importer made it on the way to one of the file
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      const auto expected =
          golden.op_outputs.find({op.file_index, outputs_before[op.file_index]++});
      if (expected == golden.op_outputs.end()) return label(op) + " has no golden";
      const Tensor& tensor = graph.tensor(op.outputs[i]);
      const std::string difference =
          first_difference(expected->second.data, values[op.outputs[i].index()], tensor.type,
                           tensor.shape, is_float32(graph, op) ? kFloatTolerance : 0);
      if (!difference.empty()) return fmt::format("{} output {}: {}", label(op), i, difference);
      if (expected->second.type != tensor.type) return label(op) + " has another type";
      ++counts.op_outputs;
    }
  }
  return "";
}

std::string compare_outputs(const Graph& graph, const Golden::Inference& inference,
                            const TensorValues& values, Counts& counts) {
  if (inference.outputs.size() != graph.outputs.size()) return "another number of outputs";
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const Port& port = graph.outputs[i];
    const Bytes actual = to_port(graph, port, values[port.tensor.index()]);
    const NamedTensor& expected = inference.outputs[i];
    const std::string difference =
        first_difference(expected.data, actual, expected.type, expected.shape, kFloatTolerance);
    if (!difference.empty()) return fmt::format("output {}: {}", i, difference);
    ++counts.outputs;
  }
  return "";
}

}  // namespace

namespace {

/// What variables hold after the first seed, one after the other as the file has them.
std::string compare_states(const Golden& golden, const StateValues& state) {
  Bytes all;
  for (const Bytes& bytes : state) all.insert(all.end(), bytes.begin(), bytes.end());
  return first_difference(golden.states, all, DType::kInt8, {static_cast<int64_t>(all.size())});
}

std::string compare_sequence(const Graph& graph, const Golden& golden, Counts& counts) {
  StateValues state = initial_state(graph);
  for (size_t turn = 0; turn < golden.sequence.size(); ++turn) {
    const TensorValues values = interpret(graph, golden.seeds[turn].input_bytes(), state);
    const Golden::Inference expected{{}, golden.sequence[turn]};
    const std::string difference = compare_outputs(graph, expected, values, counts);
    if (!difference.empty()) return fmt::format("turn {}: {}", turn + 1, difference);
    ++counts.inferences;
  }
  return "";
}

}  // namespace

std::string compare(const Graph& graph, const Golden& golden, Counts& counts) {
  for (size_t s = 0; s < golden.seeds.size(); ++s) {
    StateValues state = initial_state(graph);
    const TensorValues values = interpret(graph, golden.seeds[s].input_bytes(), state);
    std::string difference;
    if (s == 0) difference = compare_operators(graph, golden, values, counts);
    if (s == 0 && difference.empty()) difference = compare_states(golden, state);
    if (difference.empty()) difference = compare_outputs(graph, golden.seeds[s], values, counts);
    if (!difference.empty()) return fmt::format("seed {}: {}", s + 1, difference);
    ++counts.inferences;
  }
  return compare_sequence(graph, golden, counts);
}

}  // namespace thimble::testing
