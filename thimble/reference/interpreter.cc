// SPDX-License-Identifier: Apache-2.0
#include "thimble/reference/interpreter.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/model/error.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/fixed_point.h"
#include "thimble/reference/real.h"

namespace thimble {
namespace {

std::vector<int> inverse(const std::vector<int>& permutation) {
  std::vector<int> result(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) {
    result.at(static_cast<size_t>(permutation[i])) = static_cast<int>(i);
  }
  return result;
}

// Outputs of an operator of float32.
std::vector<Bytes> real_outputs(const reference::OpContext& context) {
  std::vector<RealValues> values;
  for (size_t i = 0; i < context.op.inputs.size(); ++i)
    values.push_back(dequantised(context.input(i), context.input_bytes(i)));
  std::vector<const RealValues*> inputs;
  for (const RealValues& v : values) inputs.push_back(&v);
  return {reference::bytes_from(evaluate_real(context.graph, context.op, inputs))};
}

// Outputs of an operator of integers that computes the numbers that they stand for.
std::vector<Bytes> rounded_outputs(const reference::OpContext& context) {
  const Tensor& output = context.output();
  const RealValues numbers = reference::elements_from<float>(real_outputs(context)[0]);
  const reference::IntegerRange range = reference::range_of(output.type);
  std::vector<int32_t> integers;
  for (const float number : numbers) {
    const int64_t whole = reference::nearest_even(number / reference::scale_of(output));
    integers.push_back(static_cast<int32_t>(
        std::clamp(whole + reference::zero_point_of(output), range.min, range.max)));
  }
  return {reference::bytes_from_integers(integers, output.type)};
}

std::vector<Bytes> integer_outputs(const reference::OpContext& context) {
  return std::visit(
      [&]<class Operator>(const Operator& attributes) {
        if constexpr (!kOfIntegersInOnnx<Operator> && !kIsSignal<Operator>) {
          if (context.arithmetic() == Arithmetic::kOnnx) return rounded_outputs(context);
        }
        return reference::evaluate(attributes, context);
      },
      context.op.attributes);
}

}  // namespace

StateValues initial_state(const Graph& graph) {
  StateValues result;
  for (const State& state : graph.states) result.push_back(*state.initial);
  return result;
}

TensorValues interpret(const Graph& graph, const std::vector<Bytes>& inputs) {
  StateValues state = initial_state(graph);
  return interpret(graph, inputs, state);
}

TensorValues interpret(const Graph& graph, const std::vector<Bytes>& inputs, StateValues& state) {
  if (inputs.size() != graph.inputs.size()) {
    throw CompileError(graph.name, fmt::format("{} inputs were given, the network has {}",
                                               inputs.size(), graph.inputs.size()));
  }
  TensorValues values(graph.tensors.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Port& port = graph.inputs[i];
    const Tensor& tensor = graph.tensor(port.tensor);
    if (static_cast<int64_t>(inputs[i].size()) != tensor.size_bytes()) {
      throw CompileError(graph.name,
                         fmt::format("input {} has {} bytes, the network's ({} {}) has {}", i,
                                     inputs[i].size(), name(tensor.type),
                                     to_string(caller_shape(graph, port)), tensor.size_bytes()));
    }
    values[port.tensor.index()] = from_port(graph, port, inputs[i]);
  }
  for (size_t k = 0; k < graph.states.size(); ++k) values[graph.states[k].in.index()] = state.at(k);
  for (const Op& op : graph.ops) {
    std::vector<Bytes> outputs = interpret_op(graph, op, values);
    for (size_t i = 0; i < outputs.size(); ++i) {
      values[op.outputs[i].index()] = std::move(outputs[i]);
    }
  }
  for (size_t k = 0; k < graph.states.size(); ++k) state[k] = values[graph.states[k].out.index()];
  return values;
}

std::vector<Bytes> interpret_op(const Graph& graph, const Op& op, const TensorValues& values) {
  const reference::OpContext context{graph, op, values};
  std::vector<Bytes> outputs =
      is_float32(graph, op) ? real_outputs(context) : integer_outputs(context);
  check(outputs.size() == op.outputs.size(),
        "an operator gave another number of outputs than it has");
  for (size_t i = 0; i < outputs.size(); ++i) {
    check(static_cast<int64_t>(outputs[i].size()) == graph.tensor(op.outputs[i]).size_bytes(),
          "an operator gave an output of another size than its tensor's");
  }
  return outputs;
}

Bytes from_port(const Graph& graph, const Port& port, const Bytes& bytes) {
  if (port.order.empty()) return bytes;
  const Tensor& tensor = graph.tensor(port.tensor);
  return reference::permute(bytes, in_order(tensor.shape, port.order), size_bytes(tensor.type),
                            inverse(port.order));
}

Bytes to_port(const Graph& graph, const Port& port, const Bytes& bytes) {
  if (port.order.empty()) return bytes;
  const Tensor& tensor = graph.tensor(port.tensor);
  return reference::permute(bytes, tensor.shape, size_bytes(tensor.type), port.order);
}

}  // namespace thimble
