// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/motes_room.h"

#include <algorithm>

#include "thimble/planners/piece_times.h"

namespace thimble {

MotesRoom::MotesRoom(const Dataflow& dataflow, const Core& core, const LatencyModel& model)
    : flow_(dataflow),
      core_(core),
      portable_(without_sets(core)),
      estimate_(dataflow, portable_, model) {}

int64_t MotesRoom::scratch_bytes(const std::vector<Member>& members) const {
  int64_t most = 0;
  for (const InstanceCall& call : calls(members)) {
    const OpId op = flow_.instances.instance(call.instance).op;
    if (!op.valid()) continue;
    for (const KernelUse& use : flow_.axes.uses(op, call.method)) {
      const std::vector<Candidate> all = candidates(use, core_);
      const auto fast = std::ranges::find_if(
          all, [&](const Candidate& candidate) { return candidate.kernel != use.kernel; });
      if (fast != all.end()) most = std::max(most, fast->scratch_bytes);
    }
  }
  return most;
}

Room least_room(Room room, double most, std::vector<RoomFor> all) {
  std::erase_if(all, [&](const RoomFor& more) { return more.bytes <= room.bytes; });
  std::ranges::sort(all, {}, &RoomFor::bytes);
  for (const RoomFor& more : all) room.instructions += more.instructions;
  Room larger = room;
  for (const RoomFor& more : all) {
    if (larger.instructions <= most) break;
    larger = {more.bytes, larger.instructions - more.instructions};
  }
  return larger.instructions <= most ? larger : room;
}

}  // namespace thimble
