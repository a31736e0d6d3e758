// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/instances.h"

#include <algorithm>

#include "thimble/schedule/records.h"
#include "thimble/target/kernels/kernel_uses.h"

namespace thimble {
namespace {

// The stream that the port is, where it is one, beside the tensor's own value.
ValueId add_stream(Instances& instances, const Port& port) {
  return add_value(instances, {.tensor = port.tensor, .axis_order = {}, .memory = kStream});
}

Instance copy_of(ValueId from, ValueId to) { return {.op = {}, .reads = {from}, .makes = to}; }

}  // namespace

Instances instances_of(const Graph& graph, const PortPlaces& ports) {
  Instances result;
  for (size_t t = 0; t < graph.tensors.size(); ++t)
    result.values.push_back({.tensor = {static_cast<int32_t>(t)}, .axis_order = {}});
  const auto place = [&](const Port& port, MemoryId memory) {
    Value& value = result.values[port.tensor.index()];
    value.axis_order = port.order;
    value.memory = memory;
    return ValueId{port.tensor.value};
  };
  const bool receives = ports.input == Place::kStreamed,
             delivers = ports.output == Place::kStreamed;
  for (const Port& port : graph.inputs) {
    if (receives) {
      result.inputs.push_back(add_stream(result, port));
      result.list.push_back(copy_of(result.inputs.back(), {port.tensor.value}));
    } else {
      result.inputs.push_back(place(port, memory_of(ports.input)));
    }
  }
  for (const State& state : graph.states) result.inputs.push_back({state.in.value});
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    const Op& op = graph.ops[k];
    Instance& instance = result.list.emplace_back();
    instance.op = {static_cast<int32_t>(k)};
    for (const TensorId t : op.inputs) instance.reads.push_back({t.value});
    instance.makes = {op.outputs[0].value};
  }
  for (const Port& port : graph.outputs) {
    if (delivers) {
      result.outputs.push_back(add_stream(result, port));
      result.list.push_back(copy_of({port.tensor.value}, result.outputs.back()));
    } else {
      result.outputs.push_back(place(port, memory_of(ports.output)));
    }
  }
  for (const State& state : graph.states) result.outputs.push_back({state.out.value});
  return result;
}

ValueId add_value(Instances& instances, Value value) {
  instances.values.push_back(std::move(value));
  return {static_cast<int32_t>(instances.values.size()) - 1};
}

std::vector<InstanceId> makers(const Instances& instances) {
  std::vector<InstanceId> result(instances.values.size());
  for (size_t k = 0; k < instances.list.size(); ++k)
    result[instances.list[k].makes.index()] = {static_cast<int32_t>(k)};
  return result;
}

std::vector<std::vector<InstanceId>> readers(const Instances& instances) {
  std::vector<std::vector<InstanceId>> result(instances.values.size());
  for (size_t k = 0; k < instances.list.size(); ++k) {
    const InstanceId id{static_cast<int32_t>(k)};
    for (const ValueId value : instances.list[k].reads) {
      std::vector<InstanceId>& known = result[value.index()];
      if (known.empty() || known.back() != id) known.push_back(id);
    }
  }
  return result;
}

int64_t arena_bytes(const Graph& graph, const Value& value) {
  const Tensor& tensor = graph.tensor(value.tensor);
  if (tensor.is_constant()) return 0;
  if (value.memory >= kFirstFurtherMemory)
    return kTagBytes * record_form(whole_buffer(graph, value), 1).count;
  return value.memory == kArena ? tensor.size_bytes() : 0;
}

int64_t passage_bytes(const Instances& instances, const Instance& copy) {
  if (copy.op.valid()) return 0;
  const int64_t chunk =
      std::max(instances.value(copy.makes).chunk_bytes, instances.value(copy.reads[0]).chunk_bytes);
  return chunk == 0 ? 0 : passage_bytes(chunk);
}

Buffer whole_buffer(const Graph& graph, const Value& value) {
  Buffer buffer = whole_buffer(graph, value.tensor);
  buffer.order = value.axis_order;
  buffer.memory = value.memory;
  buffer.chunk_bytes = value.chunk_bytes;
  return buffer;
}

bool relayouts_in_place(const Graph& graph, const Value& from, const Value& to) {
  const Tensor& tensor = graph.tensor(to.tensor);
  return from.memory == kArena && to.memory == kArena && from.axis_order != to.axis_order &&
         size_bytes(tensor.type) == 1 &&
         transposes_in_place(tensor.shape, strides(whole_buffer(graph, from)),
                             strides(whole_buffer(graph, to)));
}

}  // namespace thimble
