// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/device_memories.h"

#include <algorithm>

#include "thimble/model/error.h"
#include "thimble/plan/spread.h"

namespace thimble {

std::vector<ScheduleMemory> device_memories(const Request& request) {
  std::vector<ScheduleMemory> memories;
  if (!request.target.memories.empty() && (!request.sram_bytes || request.external_ram))
    memories = schedule_memories(request.target, request.external_ram);
  if (!request.external_ram) return memories;
  const auto is_external = [](const ScheduleMemory& memory) {
    return memory.kind == MemoryKind::kExternalRam;
  };
  if (std::ranges::none_of(memories, is_external))
    throw CompileError("--external-ram", "needs a --device that has some");
  if (request.sram_bytes) {
    const auto further = memories.begin() + kFirstFurtherMemory.value;
    memories.erase(std::remove_if(further, memories.end(),
                                  [](const ScheduleMemory& m) { return on_chip(m.kind); }),
                   memories.end());
    memories[kArena.index()].capacity_bytes = request.arena_limit_bytes();
  }
  return memories;
}

std::vector<ScheduleMemory> without_beside(std::vector<ScheduleMemory> memories,
                                           const Request& request) {
  if (!has_several(memories) || request.sram_bytes) return memories;
  const int64_t bytes = request.beside_arena_bytes;
  ScheduleMemory* smallest = nullptr;
  for (size_t m = kFirstFurtherMemory.index(); m < memories.size(); ++m) {
    ScheduleMemory& memory = memories[m];
    if (!on_chip(memory.kind) || *memory.capacity_bytes <= bytes) continue;
    if (smallest == nullptr || *memory.capacity_bytes < *smallest->capacity_bytes)
      smallest = &memory;
  }
  if (smallest == nullptr) smallest = &memories[kArena.index()];
  *smallest->capacity_bytes -= std::min(bytes, *smallest->capacity_bytes - 1);
  return memories;
}

bool has_several(const std::vector<ScheduleMemory>& memories) {
  return memories.size() > kFirstFurtherMemory.index();
}

int64_t capacity_bytes(const std::vector<ScheduleMemory>& memories) {
  int64_t sum = 0;
  for (const ScheduleMemory& memory : memories) sum += memory.capacity_bytes.value_or(0);
  return sum;
}

void keep_states_apart(const Graph& graph, const PlacementOptions& options, PlacedPlan& plan) {
  Schedule& schedule = plan.schedule;
  if (schedule.states.empty()) return;
  if (schedule.memories.size() == kMostMemories)
    throw CompileError("--share-arena", "needs one memory more than a plan may have");
  const MemoryId apart{static_cast<int32_t>(schedule.memories.size())};
  schedule.memories.push_back({.name = kStateMemory});
  for (const StateBuffers& state : schedule.states) {
    for (const BufferId id : {state.in, state.out}) schedule.buffers[id.index()].memory = apart;
  }
  plan.placement = place(graph, schedule, options);
}

void use_further_memories(const Graph& graph, const Request& request,
                          const PlacementOptions& options, PlacedPlan& plan) {
  const std::vector<ScheduleMemory> memories = device_memories(request);
  const std::optional<int64_t> limit = request.arena_limit_bytes();
  if (!has_several(memories) || plan.placement.arena_bytes() <= limit.value_or(0)) return;
  auto found = spread(graph, plan.schedule, without_beside(memories, request), options);
  if (!found) return;
  found->schedule.memories = memories;
  plan.schedule = std::move(found->schedule);
  plan.placement = std::move(found->placement);
}

}  // namespace thimble
