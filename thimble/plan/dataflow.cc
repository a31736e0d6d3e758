// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/dataflow.h"

#include <algorithm>

namespace thimble {

Dataflow::Dataflow(const AxisGraph& axis_graph, const Instances& dataflow)
    : graph(axis_graph.graph()),
      axes(axis_graph),
      instances(dataflow),
      maker(makers(dataflow)),
      readers(thimble::readers(dataflow)),
      is_output(dataflow.values.size(), false) {
  for (const ValueId v : instances.outputs) is_output[v.index()] = true;
  size_t rank = 0;
  for (size_t v = 0; v < instances.values.size(); ++v) {
    sums_value.push_back(sums_of({static_cast<int32_t>(v)}));
    rank = std::max(rank, shape({static_cast<int32_t>(v)}).size());
  }
  for (int axis = 0; axis < static_cast<int>(rank); ++axis)
    same_axis.push_back({axis, {.out_axis = axis}});
  for (const Value& value : instances.values)
    sums_types.push_back(accumulator_type(graph, value.tensor));
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    const OpId op{static_cast<int32_t>(k)};
    compute_scratch_bytes.push_back(
        scratch(axes.kernel_uses().uses_of(op, Method::kCompute)).size_bytes);
  }
}

void Dataflow::sum_in(const std::vector<Accumulator>& accumulators) {
  for (const Accumulator& accumulator : accumulators) {
    for (size_t v = 0; v < sums_types.size(); ++v) {
      if (instances.values[v].tensor == accumulator.tensor) sums_types[v] = accumulator.type;
    }
  }
}

bool Dataflow::lies_outermost(ValueId value, int axis) const {
  const std::vector<int> order =
      is_sums(value) ? std::vector<int>{} : instances.value(value).axis_order;
  if (order.empty()) return is_outermost(shape(value), axis);
  for (const int outer : order) {
    if (outer == axis) return true;
    if (shape(value)[static_cast<size_t>(outer)] > 1) return false;
  }
  return false;
}

bool Dataflow::lies_by_pixels(ValueId value) const {
  const std::vector<int>& order = instances.value(value).axis_order;
  const Shape& extents = shape(value);
  return order.empty() || order.back() + 1 == static_cast<int>(extents.size()) ||
         extents.back() == 1;
}

Buffer Dataflow::whole_buffer(ValueId value) const {
  if (!is_sums(value)) return thimble::whole_buffer(graph, instances.value(value));
  Buffer result = thimble::whole_buffer(graph, tensor(value));
  result.type = sums_type(value);
  result.sums = true;
  return result;
}

int64_t Dataflow::size_bytes(ValueId value) const {
  if (is_sums(value)) return elements(shape(value)) * thimble::size_bytes(sums_type(value));
  return arena_bytes(graph, instances.value(value));
}

int64_t Dataflow::scratch_bytes(const InstanceCall& call) const {
  const Instance& instance = instances.instance(call.instance);
  const OpId op = instance.op;
  if (!op.valid()) return passage_bytes(instances, instance);
  if (call.method == Method::kCompute) return compute_scratch_bytes[op.index()];
  return scratch(graph, graph.op(op), call.method).size_bytes;
}

ValueId Dataflow::sums_of(ValueId value) const {
  return {value.value + static_cast<int32_t>(instances.values.size())};
}

bool Dataflow::is_sums(ValueId value) const { return value.index() >= instances.values.size(); }

TensorId Dataflow::tensor(ValueId value) const {
  const size_t at = value.index(), count = instances.values.size();
  return instances.values[at < count ? at : at - count].tensor;
}

bool Dataflow::is_constant(ValueId value) const {
  return !is_sums(value) && graph.tensor(instances.value(value).tensor).is_constant();
}

const Shape& Dataflow::shape(ValueId value) const { return graph.tensor(tensor(value)).shape; }

ValueId Dataflow::made_by(const InstanceCall& call) const {
  const ValueId makes = instances.instance(call.instance).makes;
  return call.method == Method::kAccumulate ? sums_of(makes) : makes;
}

std::span<const ValueId> Dataflow::read_by(const InstanceCall& call) const {
  const Instance& instance = instances.instance(call.instance);
  if (call.method == Method::kFinalise) return {&sums_value[instance.makes.index()], 1};
  return instance.reads;
}

const Connection* Dataflow::connection(const InstanceCall& call, size_t k, int axis) const {
  const Instance& instance = instances.instance(call.instance);
  if (!instance.op.valid() || call.method == Method::kFinalise)
    return &same_axis[static_cast<size_t>(axis)];
  return axes.connection(instance.op, k, axis);
}

}  // namespace thimble
