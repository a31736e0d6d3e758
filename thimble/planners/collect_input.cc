// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/collect_input.h"

#include "thimble/analysis/span.h"

namespace thimble {

Graph with_row_major_inputs(const Graph& graph) {
  Graph result = graph;
  for (Port& port : result.inputs) port.order.clear();
  return result;
}

Schedule collect_input(const Graph& graph, Schedule schedule) {
  const BufferId whole = schedule.inputs[0];
  const Shape& shape = graph.tensor(graph.inputs[0].tensor).shape;
  const BufferId stream{static_cast<int32_t>(schedule.buffers.size())};
  schedule.buffers.push_back(whole_buffer(graph, graph.inputs[0].tensor));
  schedule.buffers.back().memory = kStream;
  schedule.inputs[0] = stream;
  const LoopId rows{schedule.loop_count++};
  const Step receive{.region = along(shape, kStreamAxis, {index(rows, 1), index(rows, 1, 1)}),
                     .in = {stream},
                     .out = whole};
  schedule.nodes.insert(schedule.nodes.begin(),
                        Node{Loop{rows, shape[size_t{kStreamAxis}], {Node{receive}}}});
  return schedule;
}

}  // namespace thimble
