// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/transfer_wait.h"

#include <algorithm>
#include <numeric>

#include "thimble/model/division.h"
#include "thimble/plan/derive.h"
#include "thimble/plan/tile_shares.h"
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
/// them, but for the one whose tiles records are, and for those in which it makes nothing.
int64_t times_brought(const Dataflow& dataflow, const Derived& derived, size_t step) {
  const DerivedStep& of = derived.steps[step];
  const Shape& shape = dataflow.shape(dataflow.made_by(of.call));
  const ComputingTiles computing =
      computing_tiles(derived, of.region, shape, of.call.constants->depth);
  int64_t times = 1;
  for (size_t l = 0; l < derived.loops.size(); ++l) {
    const DerivedLoop& loop = derived.loops[l];
    const auto at = static_cast<Position>(step);
    if (at < loop.steps.begin || at >= loop.steps.end || loop.depth >= of.call.constants->depth)
      continue;
    const TiledCall* tiled = derived.tiled(static_cast<int>(l), step);
    const bool records = tiled != nullptr && of.call.constants->records > 1 &&
                         tiled->axis + 1 == static_cast<int>(shape.size());
    if (records) continue;
    times *= computing.loop == static_cast<int>(l) ? computing.tiles.size() : loop.clock.tiles;
  }
  return times;
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

namespace {

/// A member's transfers, and beside what they go on.
struct MemberTransfers {
  double waited = 0;  ///< cycles
  double early = 0;   ///< of them, begun before the member in front
  double spare = 0;   ///< cycles of it beside which what follows may be read early
};

/// Cycles of a call: of the kernel that its constants are packed for, if they come.
double computes(const Dataflow& dataflow, const InstanceCall& call, const KernelTimes& times) {
  if (!call.constants) return times.back().instructions;
  const OpId op = dataflow.instances.instance(call.instance).op;
  const KernelUse& use = dataflow.axes.kernel_uses().uses_of(op, call.method)[0];
  const KernelTime* found = &times.front();
  for (const KernelTime& time : times) {
    if (chosen(time.kernel, use) == call.constants->kernel) found = &time;
  }
  return found->instructions;
}

MemberTransfers transfers_of(LatencyEstimate& latency, const InstanceCall& call,
                             const Dataflow& dataflow, const ScheduleMemory& storage,
                             const TransferCycles& cycles, bool two) {
  const Instance& copy = dataflow.instances.instance(call.instance);
  MemberTransfers its{.waited =
                          copied(dataflow.instances, dataflow.graph, copy, storage, cycles, false)};
  if (two && !latency.transfers(call))
    its.spare = computes(dataflow, call, latency.whole_times(call));
  if (!call.constants) return its;
  const double all = brought(*call.constants, cycles, 1);
  its.waited += all;
  its.early = two && call.constants->early ? all : 0;
  return its;
}

/// two: transfers go on beside what is computed. Each step has cycles beside which the storage does
/// nothing yet; a ring of records, one ahead, makes up for what comes between by no more than that
/// one.
MemberTransfers transfers_of(LatencyEstimate& latency, const Derived& derived,
                             const Dataflow& dataflow, const ScheduleMemory& storage,
                             const TransferCycles& cycles, bool two) {
  const Instances& instances = dataflow.instances;
  const std::vector<const KernelTimes*> times = latency.call_times(derived);
  std::vector<double> spare(derived.steps.size(), 0);
  MemberTransfers its;
  double beside = 0;
  bool tiled = false;
  for (size_t s = 0; s < derived.steps.size(); ++s) {
    const DerivedStep& step = derived.steps[s];
    if (step.kind == DerivedStep::Kind::kCall) {
      const Instance& copy = instances.instance(step.call.instance);
      const int ring = derived.storage_of(instances.stores(copy) ? copy.reads[0] : copy.makes);
      const bool goes_on = two && passage_bytes(instances, copy) == 0 && ring >= 0 &&
                           derived.storages[static_cast<size_t>(ring)].has_room_beside;
      if (instances.stores(copy) || instances.fetches(copy)) {
        (goes_on ? beside : its.waited) +=
            copied(instances, dataflow.graph, copy, storage, cycles, true) *
            times_made(derived, s, dataflow.shape(copy.makes));
      }
      if (latency.transfers(step.call)) continue;
    }
    if (derived.flat) continue;  // brings nothing
    if (step.kind != DerivedStep::Kind::kCall) {
      if (two) spare[s] = times[s]->back().instructions;
      continue;
    }
    const std::optional<Brought>& constants = step.call.constants;
    // A ring of records needs no more than one transfer in flight.
    const bool ahead = constants && constants->ahead && constants->depth > 0;
    if (two || ahead) spare[s] = computes(dataflow, step.call, *times[s]);
    if (!constants) continue;
    const double all = brought(*constants, cycles, times_brought(dataflow, derived, s));
    // The first record of all is waited for, or read while what is in front is computed.
    const double first = ahead ? all / static_cast<double>(constants->records) : all;
    its.waited += first;
    if (ahead) {
      const Shape& extents = dataflow.shape(dataflow.made_by(step.call));
      const double wait = wait_beside(tile_shares(derived, s, extents), spare[s], all - first);
      its.waited += wait;
      spare[s] =
          std::max(spare[s] + wait - (all - first), 0.0) / static_cast<double>(constants->records);
      tiled = true;
    }
    if (!two || !constants->early) continue;
    if (constants->depth == (ahead ? 1 : 0)) {
      its.early += first;
    } else if (s > 0) {
      its.waited -= taken_from(spare[s - 1], first);
    }
  }
  its.spare = std::accumulate(spare.begin(), spare.end(), 0.0);
  its.waited += beside - taken_from(its.spare, beside);
  if (tiled || beside > 0)  // in each tile: the first one is what others go beside
    its.spare /= static_cast<double>(derived.loops[0].clock.tiles);
  return its;
}

MemberTransfers transfers_of(LatencyEstimate& latency, const Member& member,
                             const Dataflow& dataflow, const ScheduleMemory& storage,
                             const TransferCycles& cycles) {
  const bool two = cycles.beside && storage.storage->most_in_flight > 1;
  if (const auto* call = std::get_if<InstanceCall>(&member.what))
    return transfers_of(latency, *call, dataflow, storage, cycles, two);
  const auto derived = derive(dataflow, std::get<Group>(member.what));
  return derived ? transfers_of(latency, *derived, dataflow, storage, cycles, two)
                 : MemberTransfers{};
}

}  // namespace

double member_wait(LatencyEstimate& latency, const Dataflow& dataflow, const Member& member,
                   const ScheduleMemory& storage, const TransferCycles& cycles) {
  return transfers_of(latency, member, dataflow, storage, cycles).waited;
}

double transfer_wait(LatencyEstimate& latency, const Dataflow& dataflow, const Plan& plan,
                     const TransferCycles& cycles) {
  const ScheduleMemory* storage = storage_of(plan.memories);
  if (storage == nullptr) return 0;
  double sum = erase_cycles(plan.instances, dataflow.graph, *storage, cycles);
  double spare = 0;  // of the member in front
  for (const Member& member : plan.members) {
    const MemberTransfers its = transfers_of(latency, member, dataflow, *storage, cycles);
    sum += its.waited - std::min(its.early, spare);
    spare = its.spare;
  }
  return sum;
}

}  // namespace thimble
