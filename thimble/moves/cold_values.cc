// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/cold_values.h"

#include <algorithm>
#include <numeric>

#include "thimble/moves/rematerialise.h"
#include "thimble/moves/spill.h"
#include "thimble/operators/operators.h"

namespace thimble {
namespace {

// Instances between two uses: a residual block's input is back before it is cold.
constexpr int64_t kLeastRest = 6;
// Later readers that follow one another so closely share what is fetched.
constexpr int64_t kSharedFetch = 2;

struct Rested {
  ColdValue value;
  int64_t instances = 0;
};

Rested rested(const Graph& graph, const Instances& instances, ValueId value, InstanceId maker,
              const std::vector<InstanceId>& readers) {
  Rested result{.value = {.value = value, .bytes = 0, .later = {}}};
  const Value& of = instances.value(value);
  const bool is_port = std::ranges::find(instances.outputs, value) != instances.outputs.end();
  if (of.memory != kArena || graph.tensor(of.tensor).is_constant() || is_port) return result;
  result.value.bytes = graph.tensor(of.tensor).size_bytes();
  int64_t used = maker.valid() ? maker.value : -1;
  for (size_t k = 0; k < readers.size(); ++k) {
    if (k > 0 && readers[k].value - used > std::max(result.instances, kLeastRest)) {
      result.instances = readers[k].value - used;
      result.value.later.assign(readers.begin() + static_cast<std::ptrdiff_t>(k), readers.end());
    }
    used = readers[k].value;
  }
  return result;
}

/// The only activation that an instance reads; invalid if it reads several.
ValueId only_activation(const Graph& graph, const Instances& instances, const Instance& instance) {
  ValueId result;
  for (const ValueId id : instance.reads) {
    if (graph.tensor(instances.value(id).tensor).is_constant()) continue;
    if (result.valid()) return {};
    result = id;
  }
  return result;
}

/// What computes a value from one that others read, too, or from an input; empty: nothing does.
Rematerialisation again(const Graph& graph, const Instances& instances, const ColdValue& cold) {
  const std::vector<InstanceId> maker = makers(instances);
  const std::vector<std::vector<InstanceId>> all_readers = readers(instances);
  Rematerialisation result{.chain = {}, .readers = cold.later, .bytes = cold.bytes};
  for (ValueId made = cold.value; maker[made.index()].valid();) {
    const InstanceId id = maker[made.index()];
    const Instance& instance = instances.instance(id);
    if (!instance.op.valid()) break;  // received, or fetched: not again
    const ValueId from = only_activation(graph, instances, instance);
    if (!from.valid()) return {};
    result.chain.insert(result.chain.begin(), id);
    result.macs += macs(graph, graph.op(instance.op));
    made = from;
    if (all_readers[made.index()].size() > 1) return result;
  }
  if (result.chain.empty()) return result;  // an input
  const ValueId first = only_activation(graph, instances, instances.instance(result.chain.at(0)));
  return instances.value(first).memory == kArena ? result : Rematerialisation{};
}

std::vector<std::vector<InstanceId>> fetches_for(const std::vector<InstanceId>& readers) {
  std::vector<std::vector<InstanceId>> result;
  for (const InstanceId reader : readers) {
    if (result.empty() || reader.value - result.back().back().value > kSharedFetch)
      result.emplace_back();
    result.back().push_back(reader);
  }
  return result;
}

}  // namespace

ColdValue cold_value(const Graph& graph, const Instances& instances, ValueId value) {
  return rested(graph, instances, value, makers(instances)[value.index()],
                readers(instances)[value.index()])
      .value;
}

std::vector<ColdValue> cold_values(const Graph& graph, const Instances& instances) {
  const std::vector<InstanceId> maker = makers(instances);
  const std::vector<std::vector<InstanceId>> all_readers = readers(instances);
  std::vector<Rested> found;
  for (size_t v = 0; v < instances.values.size(); ++v) {
    Rested one = rested(graph, instances, {static_cast<int32_t>(v)}, maker[v], all_readers[v]);
    if (!one.value.later.empty()) found.push_back(std::move(one));
  }
  std::ranges::stable_sort(found, [](const Rested& a, const Rested& b) {
    return a.value.bytes != b.value.bytes ? a.value.bytes > b.value.bytes
                                          : a.instances > b.instances;
  });
  std::vector<ColdValue> result;
  for (Rested& one : found) result.push_back(std::move(one.value));
  return result;
}

namespace {

size_t rank(const Graph& graph, const Instances& instances, ValueId value) {
  return graph.tensor(instances.value(value).tensor).shape.size();
}

}  // namespace

Instances rest(const Graph& graph, const Instances& instances, std::span<const ValueId> values,
               std::span<const Rest> ways, const RestPlace& place) {
  std::vector<size_t> last_first(values.size());
  std::iota(last_first.begin(), last_first.end(), size_t{0});
  const std::vector<InstanceId> maker = makers(instances);
  std::ranges::stable_sort(last_first, [&](size_t a, size_t b) {
    return maker[values[a].index()] > maker[values[b].index()];
  });
  Instances result = instances;
  for (const size_t k : last_first) {
    if (ways[k] == Rest::kKept) continue;
    const ColdValue cold = cold_value(graph, result, values[k]);
    if (cold.later.empty()) continue;
    if (ways[k] == Rest::kSpilled) {
      Spill one{.value = cold.value,
                .fetched_for = fetches_for(cold.later),
                .axis_order = place.axis_order};
      if (rank(graph, result, cold.value) != one.axis_order.size()) one.axis_order.clear();
      one.chunk_bytes = chunk_of(graph, result, one, place.write_bytes, place.chunk_bytes);
      result = spill(result, {one}, place.memory);
    } else if (const Rematerialisation more = again(graph, result, cold); !more.chain.empty()) {
      result = rematerialise(result, {more});
    }
  }
  return result;
}

}  // namespace thimble
