// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/memories_json.h"

#include <nlohmann/json.hpp>

namespace thimble {

using Json = nlohmann::ordered_json;

nlohmann::ordered_json memories_json(const PlacedPlan& plan) {
  Json json = Json::array();
  for (const MemoryId id : plan.placement.in_use()) {
    const ScheduleMemory& memory = plan.schedule.memory(id);
    const MemoryPlacement& placed = plan.placement.memory(id);
    json.push_back(
        {{"name", memory.name},
         {"kind", name(memory.kind)},
         {"capacity_bytes", memory.capacity_bytes ? Json(*memory.capacity_bytes) : Json()},
         {"peak_bytes", placed.peak_bytes},
         {"lower_bound_bytes", placed.lower_bound_bytes},
         {"size_bytes", placed.size_bytes},
         {"layout_proven_optimal", placed.proven_optimal}});
  }
  return json;
}

}  // namespace thimble
