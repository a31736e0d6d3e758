// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "thimble/driver/code_bytes.h"
#include "thimble/driver/driver.h"
#include "thimble/driver/measure.h"
#include "thimble/emit/identifier.h"
#include "thimble/program/host.h"
#include "thimble/reference/interpreter.h"
#include "thimble/report/tensor_text.h"
#include "thimble/toolchain/board.h"

namespace thimble {
namespace {

/// Inferences of the plain interpreter, some of which go on with the variables of the one before.
class ReferenceRuns {
 public:
  explicit ReferenceRuns(const Graph& graph) : graph_(graph) {}

  [[nodiscard]] TensorValues values(const InputCase& c) {
    if (!c.goes_on) state_ = initial_state(graph_);
    return interpret(graph_, c.inputs, state_);
  }
  [[nodiscard]] std::vector<Bytes> outputs(const InputCase& c) {
    return caller_outputs(graph_, values(c));
  }

 private:
  const Graph& graph_;
  StateValues state_;
};

// With sums of less than 32 bits an inference is right if it gives what the reference gives with
// the same accumulators: that becomes what is expected. Returns what was, or the exact
// arithmetic's.
std::vector<std::vector<Bytes>> expect_lossy(const Graph& graph, std::vector<InputCase>& cases) {
  std::vector<std::vector<Bytes>> exact;
  if (graph.accumulators.empty()) return exact;
  const Graph without = with_accumulators(graph, {});
  ReferenceRuns of_exact(without), of_lossy(graph);
  for (InputCase& c : cases) {
    std::vector<Bytes> outputs = of_exact.outputs(c);
    exact.push_back(c.outputs.empty() ? std::move(outputs) : c.outputs);
    c.outputs = of_lossy.outputs(c);
  }
  return exact;
}

void add_deviations(const Graph& graph, const std::vector<std::vector<Bytes>>& exact,
                    Inferences& result) {
  if (exact.empty()) return;
  result.deviations.resize(graph.outputs.size());
  for (size_t k = 0; k < graph.outputs.size(); ++k) {
    const DType type = graph.tensor(graph.outputs[k].tensor).type;
    for (size_t c = 0; c < exact.size(); ++c)
      add_deviation(result.deviations[k], exact[c][k], result.outputs[c][k], type);
  }
}

// Empty if they agree, as far as other implementations do; what that took is noted.
std::string difference_of(const Tensor& tensor, const Shape& shape, const Bytes& expected,
                          const Bytes& actual, Inferences& result) {
  if (first_difference(expected, actual, tensor.type, shape).empty()) return "";
  std::string difference = first_difference(expected, actual, tensor.type, shape, kFloatTolerance);
  if (difference.empty()) result.tolerance = kFloatTolerance;
  return difference;
}

// As the graph has it: uint8 is imported as int8, 128 less (docs/arithmetic.md).
Bytes as_imported(const NamedTensor& given, const Tensor& tensor) {
  Bytes data = given.data;
  if (given.type == DType::kUInt8 && tensor.type == DType::kInt8)
    for (uint8_t& byte : data) byte ^= 0x80U;
  return data;
}

// Every operator's outputs against the golden's, on the graph as imported.
void compare_ops(const Graph& graph, const InputCase& expected, const TensorValues& values,
                 Inferences& result) {
  std::map<int, int> outputs_before;  // of operators that the importer takes apart
  for (const Op& op : graph.ops) {
    for (size_t j = 0; j < op.outputs.size(); ++j) {
      const auto it = expected.ops.find({op.file_index, outputs_before[op.file_index]++});
      if (it == expected.ops.end()) continue;
      ++result.compared_ops;
      const Tensor& t = graph.tensor(op.outputs[j]);
      const std::string difference = difference_of(t, t.shape, as_imported(it->second, t),
                                                   values[op.outputs[j].index()], result);
      if (!difference.empty() && result.difference.empty()) {
        result.difference =
            fmt::format("{}, tensor '{}': {}", label(op), display_name(t.name), difference);
      }
    }
  }
}

// The first output that is not what is expected, unless something worse is known.
void compare_outputs(const Graph& graph, const std::vector<InputCase>& cases, Inferences& result) {
  for (size_t c = 0; c < cases.size(); ++c) {
    for (size_t k = 0; k < cases[c].outputs.size() && result.difference.empty(); ++k) {
      const Tensor& t = graph.tensor(graph.outputs[k].tensor);
      const std::string difference =
          difference_of(t, caller_shape(graph, graph.outputs[k]), cases[c].outputs[k],
                        result.outputs[c][k], result);
      if (difference.empty()) continue;
      result.difference =
          fmt::format("{}, output {} '{}': {}", cases[c].name, k, display_name(t.name), difference);
    }
  }
}

// One firmware, with one runtime.
std::vector<FirmwareModel> firmware_of(std::span<const Compiled> models,
                                       const std::vector<std::string>& names) {
  std::set<std::string> used;
  for (const Compiled& model : models) used.merge(parts_of(model));
  std::vector<FirmwareModel> firmware;
  for (size_t m = 0; m < models.size(); ++m) {
    firmware.push_back({names[m], emitted_files(models[m], {.name = names[m], .also_used = used}),
                        &models[m].program});
  }
  return firmware;
}

std::vector<FirmwareModel> firmware_of(const Compiled& compiled) {
  return firmware_of({&compiled, 1}, {identifier(compiled.graph.name)});
}

Measured on_board(const Compiled& compiled, const std::string& core,
                  const std::vector<InputCase>& cases, StorageDriver storage) {
  std::vector<InputSet> sets;
  EmulationOptions options;
  for (const InputCase& c : cases) {
    sets.push_back({c.inputs});
    options.goes_on.push_back(c.goes_on);
  }
  return measure(firmware_of(compiled), core, sets, options, storage);
}

MeasuredCost cost_of(const FirmwareSize& size, const std::string& core) {
  return {.code_bytes = size.code_bytes,
          .weight_bytes = size.weight_bytes,
          .stack_bytes = {},
          .instructions = {},
          .static_ram_bytes = size.static_ram_bytes,
          .core = core,
          .machine = "",
          .deepest_stack_bytes = size.stack_bytes};
}

// Stack of the one that takes most, instructions of all.
MeasuredCost cost_of(const Measured& measured, const std::string& core) {
  MeasuredCost cost = cost_of(measured.size, core);
  cost.stack_bytes = 0;
  cost.instructions = 0;
  for (const EmulatedRun& run : measured.sets[0]) {
    cost.stack_bytes = std::max(*cost.stack_bytes, run.stack_bytes);
    *cost.instructions += run.instructions;
  }
  cost.machine = measured.machine;
  return cost;
}

}  // namespace

Inferences run_reference(const Graph& graph, const std::vector<InputCase>& cases) {
  Inferences result;
  ReferenceRuns runs(graph);
  for (const InputCase& c : cases) {
    const TensorValues values = runs.values(c);
    compare_ops(graph, c, values, result);
    result.outputs.push_back(caller_outputs(graph, values));
  }
  compare_outputs(graph, cases, result);
  return result;
}

Inferences run_host(const Compiled& compiled, std::vector<InputCase> cases) {
  const std::vector<std::vector<Bytes>> exact = expect_lossy(compiled.graph, cases);
  Inferences result;
  MovedBytes moved;
  for (size_t begin = 0, end = 1; begin < cases.size(); begin = end++) {
    std::vector<std::vector<Bytes>> in_turn = {cases[begin].inputs};
    for (; end < cases.size() && cases[end].goes_on; ++end) in_turn.push_back(cases[end].inputs);
    for (std::vector<Bytes>& outputs : execute_in_turn(compiled.program, in_turn, &moved))
      result.outputs.push_back(std::move(outputs));
  }
  if (compiled.program.token_count > 0) {
    const MovedBytes most = most_moved(compiled.program);
    const auto count = static_cast<int64_t>(cases.size());
    result.moved = {{.moved = moved, .most = {most.written * count, most.read * count}}};
  }
  add_deviations(compiled.graph, exact, result);
  compare_outputs(compiled.graph, cases, result);
  return result;
}

Inferences run_emulated(const Compiled& compiled, const std::string& core,
                        std::vector<InputCase> cases, StorageDriver storage) {
  const std::vector<std::vector<Bytes>> exact = expect_lossy(compiled.graph, cases);
  const Measured measured = on_board(compiled, core, cases, storage);
  Inferences result;
  result.board = cost_of(measured, core);
  for (const std::vector<EmulatedRun>& set : measured.sets) {
    result.outputs.push_back(set[0].outputs);
    if (!set[0].guards_intact())
      result.difference = fmt::format("the firmware wrote {} its arena", set[0].guards);
    if (!set[0].inputs_intact) result.difference = "the firmware changed the caller's input";
  }
  add_deviations(compiled.graph, exact, result);
  compare_outputs(compiled.graph, cases, result);
  return result;
}

MeasuredCost measured_cost(std::span<const Compiled> models, const std::vector<std::string>& names,
                           const std::string& core) {
  const std::vector<FirmwareModel> firmware = firmware_of(models, names);
  if (boards_of(core).empty()) return cost_of(measure_sizes(firmware, core), core);
  InputSet noise;
  for (const Compiled& model : models) noise.push_back(seeded_case(model.graph, 1).inputs);
  return cost_of(measure(firmware, core, {noise}), core);
}

MeasuredCost measured_cost(const Compiled& compiled, const std::string& core) {
  return measured_cost({&compiled, 1}, {identifier(compiled.graph.name)}, core);
}

}  // namespace thimble
