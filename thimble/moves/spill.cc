// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/spill.h"

#include <algorithm>

#include "thimble/model/error.h"
#include "thimble/schedule/records.h"

namespace thimble {

Instances spill(const Instances& instances, const std::vector<Spill>& spills, MemoryId storage) {
  Instances result = instances;
  const std::vector<InstanceId> maker = makers(instances);
  const std::vector<std::vector<InstanceId>> all_readers = readers(instances);
  std::vector<std::vector<Instance>> in_front(instances.list.size()), behind(in_front.size());
  for (const Spill& one : spills) {
    const InstanceId first = one.fetched_for.at(0).at(0);
    InstanceId last = maker[one.value.index()];  // that has the value itself before
    for (const InstanceId reader : all_readers[one.value.index()]) {
      if (reader < first) last = std::max(last, reader);
    }
    const Value& value = instances.value(one.value);
    const ValueId stored = add_value(result, {.tensor = value.tensor,
                                              .axis_order = one.axis_order,
                                              .memory = storage,
                                              .chunk_bytes = one.chunk_bytes});
    const Instance store{.op = {}, .reads = {one.value}, .makes = stored};
    if (last.valid()) {
      behind[last.index()].push_back(store);
    } else {  // an input of the network that nobody reads before
      in_front.front().push_back(store);
    }
    for (const std::vector<InstanceId>& its : one.fetched_for) {
      const ValueId fetched =
          add_value(result, {.tensor = value.tensor, .axis_order = one.axis_order});
      in_front[its.front().index()].push_back({.op = {}, .reads = {stored}, .makes = fetched});
      for (const InstanceId reader : its)
        std::ranges::replace(result.list[reader.index()].reads, one.value, fetched);
    }
  }
  std::vector<Instance> list;
  for (size_t k = 0; k < in_front.size(); ++k) {
    std::ranges::move(in_front[k], std::back_inserter(list));
    list.push_back(std::move(result.list[k]));
    std::ranges::move(behind[k], std::back_inserter(list));
  }
  result.list = std::move(list);
  return result;
}

int64_t chunk_of(const Graph& graph, const Instances& instances, const Spill& spill,
                 int64_t write_bytes, int64_t about_bytes) {
  if (about_bytes == 0) return 0;
  const Value stored{.tensor = instances.value(spill.value).tensor, .axis_order = spill.axis_order};
  return chunk_bytes(record_form(whole_buffer(graph, stored), write_bytes), write_bytes,
                     about_bytes);
}

note::Spilled spilled(const Graph& graph, const Instances& instances, const std::string& storage) {
  note::Spilled note{.storage = storage};
  for (const Instance& copy : instances.list) {
    const int64_t bytes = graph.tensor(instances.value(copy.makes).tensor).size_bytes();
    if (instances.stores(copy)) {
      ++note.tensors;
      note.compressed += instances.value(copy.makes).chunk_bytes > 0 ? 1 : 0;
      note.written_bytes += bytes;
    } else if (instances.fetches(copy)) {
      note.read_bytes += bytes;
    }
  }
  return note;
}

}  // namespace thimble
