// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/memories_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace thimble {

using Json = nlohmann::ordered_json;

nlohmann::ordered_json memories_json(const PlacedPlan& plan,
                                     const std::vector<MemoryWaits>& waits) {
  Json json = Json::array();
  for (const MemoryId id : plan.placement.in_use()) {
    const ScheduleMemory& memory = plan.schedule.memory(id);
    const MemoryPlacement& placed = plan.placement.memory(id);
    const auto found = std::ranges::find(waits, id, &MemoryWaits::memory);
    const MemoryWaits waited = found == waits.end() ? MemoryWaits{} : *found;
    json.push_back(
        {{"name", memory.name},
         {"kind", name(memory.kind)},
         {"capacity_bytes", memory.capacity_bytes ? Json(*memory.capacity_bytes) : Json()},
         {"peak_bytes", placed.peak_bytes},
         {"lower_bound_bytes", placed.lower_bound_bytes},
         {"size_bytes", placed.size_bytes},
         {"layout_proven_optimal", placed.proven_optimal},
         {"touched_bytes", waited.touched_bytes},
         {"wait_cycles", std::llround(waited.cycles)},
         {"wait_cycles_if_all", std::llround(waited.cycles_if_all)}});
  }
  return json;
}

}  // namespace thimble
