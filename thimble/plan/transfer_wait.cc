// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/transfer_wait.h"

#include <algorithm>

#include "thimble/model/division.h"
#include "thimble/plan/derive.h"
#include "thimble/schedule/records.h"

namespace thimble {
namespace {

const ScheduleMemory* storage_of(const std::vector<ScheduleMemory>& memories) {
  const auto found = std::ranges::find_if(
      memories, [](const ScheduleMemory& memory) { return memory.storage.has_value(); });
  return found == memories.end() ? nullptr : &*found;
}

/// How storage holds what is copied there or from there.
RecordForm form_of(const Instances& instances, const Graph& graph, const Instance& copy,
                   const ScheduleMemory& storage) {
  const Value& stored = instances.value(instances.stores(copy) ? copy.makes : copy.reads[0]);
  return record_form(whole_buffer(graph, stored), storage.storage->write_bytes);
}

/// Cycles of one copy; by records, each apart.
double copied(const Instances& instances, const Graph& graph, const Instance& copy,
              const ScheduleMemory& storage, const TransferCycles& cycles, bool by_records) {
  const bool stores = instances.stores(copy);
  if (!stores && !instances.fetches(copy)) return 0;
  const Value& stored = instances.value(stores ? copy.makes : copy.reads[0]);
  const RecordForm form = form_of(instances, graph, copy, storage);
  const double each = stores ? cycles.write_byte : cycles.read_byte;
  // The runtime joins records that lie side by side on both sides and are moved as they are.
  const bool apart = by_records || form.stride_bytes != form.record_bytes || stored.chunk_bytes > 0;
  const int64_t chunks =
      stored.chunk_bytes == 0 ? 1 : ceil_div(form.record_bytes, stored.chunk_bytes);
  return static_cast<double>((apart ? form.count : 1) * chunks) * cycles.access +
         static_cast<double>(form.stored_bytes()) * each;
}

/// Reads of a call's constants, each time that they are: by records.
double brought(const Brought& constants, const TransferCycles& cycles, int64_t times) {
  const int64_t bytes = constants.records * constants.record_bytes;
  return static_cast<double>(times) * (static_cast<double>(constants.records) * cycles.access +
                                       static_cast<double>(bytes) * cycles.read_byte);
}

/// How often a group reads the constants of a call of it: tiles of the loops around what reads
/// them, but for the one whose tiles records are.
int64_t times_brought(const Dataflow& dataflow, const Derived& derived, size_t step) {
  const DerivedStep& of = derived.steps[step];
  const Shape& shape = dataflow.shape(dataflow.made_by(of.call));
  int64_t times = 1;
  for (size_t l = 0; l < derived.loops.size(); ++l) {
    const DerivedLoop& loop = derived.loops[l];
    const auto at = static_cast<Position>(step);
    if (at < loop.steps.begin || at >= loop.steps.end || loop.depth >= of.call.constants->depth)
      continue;
    const TiledCall* tiled = derived.tiled(static_cast<int>(l), step);
    const bool records = tiled != nullptr && of.call.constants->records > 1 &&
                         tiled->axis + 1 == static_cast<int>(shape.size());
    if (!records) times *= loop.clock.tiles;
  }
  return times;
}

/// Calls visit(instance) for each call of the member.
template <class Visit>
void each_call(const Member& member, const Visit& visit) {
  if (const auto* call = std::get_if<InstanceCall>(&member.what)) return visit(*call);
  for (const Member& inner : std::get<Group>(member.what).members) each_call(inner, visit);
}

}  // namespace

TransferWork transfer_work(const Instances& instances, const Graph& graph,
                           const ScheduleMemory& storage) {
  TransferWork work;
  for (const Instance& copy : instances.list) {
    const bool stores = instances.stores(copy);
    if (!stores && !instances.fetches(copy)) continue;
    (stores ? work.written : work.read) += form_of(instances, graph, copy, storage).stored_bytes();
  }
  const int64_t block = storage.storage->erase_bytes;
  work.erased_blocks = block == 0 ? 0 : ceil_div(work.written, block);
  return work;
}

double TransferEnergy::of(const TransferWork& work) const {
  return static_cast<double>(work.read) * read_byte +
         static_cast<double>(work.written) * write_byte +
         static_cast<double>(work.erased_blocks) * erase_block;
}

double erase_cycles(const Instances& instances, const Graph& graph, const ScheduleMemory& storage,
                    const TransferCycles& cycles) {
  const TransferWork work = transfer_work(instances, graph, storage);
  return static_cast<double>(work.erased_blocks) * cycles.erase_block;
}

double member_wait(LatencyEstimate& latency, const Dataflow& dataflow, const Member& member,
                   const ScheduleMemory& storage, const TransferCycles& cycles) {
  const Instances& instances = dataflow.instances;
  const auto* group = std::get_if<Group>(&member.what);
  const bool two = cycles.beside && storage.storage->most_in_flight > 1 && group != nullptr;
  double waited = 0, beside = 0;
  each_call(member, [&](const InstanceCall& call) {
    const Instance& copy = instances.instance(call.instance);
    const bool goes_on = two && passage_bytes(instances, copy) == 0 && group->loop.transfers_beside;
    (goes_on ? beside : waited) +=
        copied(instances, dataflow.graph, copy, storage, cycles, group != nullptr);
  });
  if (group == nullptr) {
    const auto& call = std::get<InstanceCall>(member.what);
    if (call.constants) waited += brought(*call.constants, cycles, 1);
  } else if (const auto derived = derive(dataflow, *group, Regions::kNone)) {
    for (size_t s = 0; s < derived->steps.size(); ++s) {
      const std::optional<Brought>& constants = derived->steps[s].call.constants;
      if (!constants) continue;
      const double all = brought(*constants, cycles, times_brought(dataflow, *derived, s));
      const bool goes_on = two && constants->ahead && constants->depth > 0;
      // The first record of all is waited for.
      const double first = goes_on ? all / static_cast<double>(constants->records) : all;
      waited += first;
      beside += all - first;
    }
  }
  if (beside == 0) return waited;
  const auto calls = latency.calls({member});
  if (!calls) return 0;
  double computes = 0;
  for (const PlannedCall& call : *calls)
    computes += call.times == nullptr ? 0 : call.times->back().instructions;
  return waited + beside - std::min(beside, computes);
}

double transfer_wait(LatencyEstimate& latency, const Dataflow& dataflow, const Plan& plan,
                     const TransferCycles& cycles) {
  const ScheduleMemory* storage = storage_of(plan.memories);
  if (storage == nullptr) return 0;
  double sum = erase_cycles(plan.instances, dataflow.graph, *storage, cycles);
  for (const Member& member : plan.members)
    sum += member_wait(latency, dataflow, member, *storage, cycles);
  return sum;
}

}  // namespace thimble
