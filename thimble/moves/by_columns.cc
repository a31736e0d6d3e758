// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/by_columns.h"

#include <algorithm>

#include "thimble/analysis/axis_graph.h"

namespace thimble {
namespace {

// What a rotation of the axes, in place, makes of row-major images and back: in each column a plane
// per channel.
const std::vector<int> kColumnsOfPlanes = {0, kColumnAxis, 3, kRowAxis};

bool is_wide(const Shape& shape) {
  return is_image(shape) && shape[0] == 1 && shape[kRowAxis] > 1 &&
         shape[kColumnAxis] > shape[kRowAxis];
}

}  // namespace

std::optional<Instances> by_columns(const Graph& graph, const Instances& instances) {
  Instances result = instances;
  const auto shape = [&](ValueId id) -> const Shape& {
    return graph.tensor(instances.value(id).tensor).shape;
  };
  const auto is_port = [&](ValueId id) {
    return std::ranges::find(instances.inputs, id) != instances.inputs.end() ||
           std::ranges::find(instances.outputs, id) != instances.outputs.end();
  };
  bool any = false;
  for (size_t v = 0; v < instances.values.size(); ++v) {
    const ValueId id{static_cast<int32_t>(v)};
    Value& value = result.values[v];
    if (graph.tensor(value.tensor).is_constant() || !is_wide(shape(id))) continue;
    if (value.memory == kStream || (is_port(id) && !value.axis_order.empty())) return std::nullopt;
    any = true;
    if (value.memory == kArena && !is_port(id)) value.axis_order = kColumnsOutermost;
  }
  if (!any) return std::nullopt;
  const auto relaid = [&](ValueId port) -> std::optional<Value> {
    const Value& given = instances.value(port);
    Value inside{.tensor = given.tensor, .axis_order = kColumnsOfPlanes};
    if (!is_wide(shape(port)) || !relayouts_in_place(graph, given, inside)) return std::nullopt;
    return inside;
  };
  std::vector<Instance> before, behind;
  for (const ValueId& input : instances.inputs) {
    const auto inside = relaid(input);
    if (!inside || std::ranges::find(result.outputs, input) != result.outputs.end()) continue;
    const ValueId own = add_value(result, *inside);
    for (Instance& instance : result.list) std::ranges::replace(instance.reads, input, own);
    before.push_back({.op = {}, .reads = {input}, .makes = own});
  }
  for (const ValueId& output : instances.outputs) {
    const auto inside = relaid(output);
    const bool made =
        std::ranges::find(instances.list, output, &Instance::makes) != instances.list.end();
    if (!inside || !made || std::ranges::count(instances.outputs, output) > 1) continue;
    const ValueId own = add_value(result, *inside);
    for (Instance& instance : result.list) {
      std::ranges::replace(instance.reads, output, own);
      if (instance.makes == output) instance.makes = own;
    }
    behind.push_back({.op = {}, .reads = {own}, .makes = output});
  }
  result.list.insert(result.list.begin(), before.begin(), before.end());
  result.list.insert(result.list.end(), behind.begin(), behind.end());
  return result;
}

}  // namespace thimble
