// SPDX-License-Identifier: Apache-2.0
#include "thimble/schedule/reads.h"

#include "thimble/operators/operators.h"
#include "thimble/target/kernels/kernel_uses.h"

namespace thimble {

std::vector<AccessMap> access_maps(const Graph& graph) {
  std::vector<AccessMap> maps;
  maps.reserve(graph.ops.size());
  for (const Op& op : graph.ops) maps.push_back(access_map(graph, op));
  return maps;
}

Region read_region(const Graph& graph, const std::vector<AccessMap>& maps, const Step& step,
                   size_t operand, const Region& out, const Counters& counters) {
  if (!step.op.valid() || step.method == Method::kFinalise) return out;
  const Op& op = graph.op(step.op);
  const Shape& in = graph.tensor(op.inputs[operand]).shape;
  Region region =
      input_region(maps[step.op.index()][operand], in, graph.tensor(op.outputs[0]).shape, out);
  if (step.chunk && operand == 0) {
    const size_t axis = chunk_axis(graph, op);
    region[axis] = clip({evaluate(*step.chunk, counters)}, {in[axis]})[0];
  }
  return region;
}

TensorId operand_tensor(const Graph& graph, const Schedule& schedule, const Step& step,
                        size_t operand) {
  if (!step.op.valid()) return schedule.buffer(step.in[operand].from.at(0)).tensor;
  const Op& op = graph.op(step.op);
  return step.method == Method::kFinalise ? op.outputs[0] : op.inputs[operand];
}

TensorId written_tensor(const Graph& graph, const Schedule& schedule, const Step& step) {
  return step.op.valid() ? graph.op(step.op).outputs[0] : schedule.buffer(step.out).tensor;
}

}  // namespace thimble
