// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/turn_inputs.h"

#include <algorithm>

namespace thimble {
namespace {

Buffer given_buffer(const Graph& graph, const Port& port) {
  Buffer buffer = whole_buffer(graph, port.tensor);
  buffer.order = port.order;
  return buffer;
}

bool turns(const Graph& graph, const Port& port) {
  const Tensor& t = graph.tensor(port.tensor);
  const Buffer given = given_buffer(graph, port), row_major = whole_buffer(graph, port.tensor);
  const bool is_output = std::ranges::find(graph.outputs, port.tensor, &Port::tensor) !=
                         graph.outputs.end();  // which has one buffer for both
  return !port.order.empty() && !is_output && size_bytes(t.type) == 1 &&
         transposes_in_place(t.shape, strides(given), strides(row_major));
}

}  // namespace

std::optional<Graph> with_turned_inputs(const Graph& graph) {
  std::optional<Graph> turned;
  for (size_t k = 0; k < graph.inputs.size(); ++k) {
    if (!turns(graph, graph.inputs[k])) continue;
    if (!turned) turned = graph;
    turned->inputs[k].order.clear();
  }
  return turned;
}

Schedule turn_inputs(const Graph& graph, const Graph& turned, Schedule schedule) {
  std::vector<Node> nodes;
  for (size_t k = 0; k < graph.inputs.size(); ++k) {
    const Port& port = graph.inputs[k];
    if (port.order == turned.inputs[k].order) continue;
    const BufferId given{static_cast<int32_t>(schedule.buffers.size())};
    const BufferId row_major = schedule.inputs[k];
    schedule.buffers.push_back(given_buffer(graph, port));
    schedule.inputs[k] = given;
    schedule.shares.push_back({row_major, given});
    nodes.push_back({Step{.op = {},
                          .method = Method::kInPlace,
                          .region = region_expr(whole(graph.tensor(port.tensor).shape)),
                          .in = {given},
                          .out = row_major}});
  }
  schedule.nodes.insert(schedule.nodes.begin(), nodes.begin(), nodes.end());
  return schedule;
}

}  // namespace thimble
