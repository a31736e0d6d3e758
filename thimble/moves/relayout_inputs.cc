// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/relayout_inputs.h"

#include <algorithm>

namespace thimble {

std::optional<Instances> relayout_inputs(const Graph& graph, const Instances& instances) {
  Instances result = instances;
  std::vector<Instance> copies;
  for (ValueId& input : result.inputs) {
    const Value given = result.value(input);
    const Value row_major{.tensor = given.tensor, .axis_order = {}, .memory = given.memory};
    const bool is_output = std::ranges::find(result.outputs, input) != result.outputs.end();
    // What is an output, too, has one place for both.
    if (given.axis_order.empty() || is_output || !relayouts_in_place(graph, given, row_major))
      continue;
    const ValueId tensor = input;
    result.values[tensor.index()] = row_major;
    input = add_value(result, given);
    copies.push_back({.op = {}, .reads = {input}, .makes = tensor});
  }
  if (copies.empty()) return std::nullopt;
  result.list.insert(result.list.begin(), copies.begin(), copies.end());
  return result;
}

}  // namespace thimble
