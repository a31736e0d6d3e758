// SPDX-License-Identifier: Apache-2.0
// A recurrent layer of int8 whose step is a network: that is executed for each time.
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/interpreter.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const StepLoop& op, const OpContext& context) {
  const Graph& step = *op.step;
  const auto times = static_cast<size_t>(context.input(0).shape[1]);
  const auto part = [](const Bytes& bytes, size_t begin, size_t count) {
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(begin);
    return Bytes(first, first + static_cast<std::ptrdiff_t>(count));
  };
  const auto size = [&](const Port& port) {
    return static_cast<size_t>(step.tensor(port.tensor).size_bytes());
  };
  std::vector<Bytes> inputs(step.inputs.size());
  size_t begin = 0;
  for (size_t k = 1; k < inputs.size(); ++k) {
    inputs[k] = part(context.input_bytes(1), begin, size(step.inputs[k]));
    begin += inputs[k].size();
  }
  const size_t columns = size(step.inputs[0]), units = size(step.inputs[1]);
  Bytes result(times * units);
  for (size_t k = 0; k < times; ++k) {
    const size_t time = op.reverse ? times - 1 - k : k;
    inputs[0] = part(context.input_bytes(0), time * columns, columns);
    const TensorValues values = interpret(step, inputs);
    for (size_t state = 1; state < inputs.size(); ++state)
      inputs[state] = values[step.outputs[state - 1].tensor.index()];
    std::ranges::copy(inputs[1], result.begin() + static_cast<std::ptrdiff_t>(time * units));
  }
  if (op.last_alone) return {inputs[1]};
  return {std::move(result)};
}

RealValues real_of(const StepLoop&, const RealContext&) {
  throw InternalError("a loop of steps is computed in int8");
}

ValueRanges bounds_of(const StepLoop&, const BoundsContext& c) { return any_value(c.output()); }

}  // namespace thimble::reference
