// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/device_memories.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "thimble/model/error.h"
#include "thimble/schedule/target_memories.h"

namespace thimble {
namespace {

std::vector<ScheduleMemory> memories_on_chip(const Request& request) {
  if (request.target.memories.empty() || request.sram_bytes) return common_memories();
  return schedule_memories(request.target, false);
}

std::vector<ScheduleMemory> memories_with_external_ram(const Request& request) {
  std::vector<ScheduleMemory> memories = common_memories();
  if (!request.target.memories.empty()) memories = schedule_memories(request.target, true);
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

/// What lies beside the arena takes some of one memory.
ScheduleMemory* beside_in(std::vector<ScheduleMemory>& memories, int64_t bytes) {
  ScheduleMemory* smallest = nullptr;
  for (size_t m = kFirstFurtherMemory.index(); m < memories.size(); ++m) {
    ScheduleMemory& memory = memories[m];
    if (!on_chip(memory.kind) || *memory.capacity_bytes <= bytes) continue;
    if (smallest == nullptr || *memory.capacity_bytes < *smallest->capacity_bytes)
      smallest = &memory;
  }
  return smallest == nullptr ? &memories[kArena.index()] : smallest;
}

UsableMemories usable_in(const Request& request, std::vector<ScheduleMemory> memories) {
  constexpr int64_t kAny = std::numeric_limits<int64_t>::max();
  UsableMemories usable{.memories = memories, .usable_bytes = {}};
  if (usable.has_several() && !request.sram_bytes) {
    int64_t& bytes = *beside_in(memories, request.beside_arena_bytes)->capacity_bytes;
    bytes -= std::min(request.beside_arena_bytes, bytes - 1);
  }
  for (const ScheduleMemory& memory : memories)
    usable.usable_bytes.push_back(memory.capacity_bytes.value_or(kAny));
  if (request.states_apart) {
    if (memories.size() == kMostMemories)
      throw CompileError("--share-arena", "needs one memory more than a plan may have");
    usable.memories.push_back({.name = kStateMemory});
    usable.usable_bytes.push_back(kAny);
  }
  return usable;
}

}  // namespace

std::vector<UsableMemories> usable_memories(const Request& request) {
  std::vector<UsableMemories> result = {usable_in(request, common_memories())};
  const auto add = [&](std::vector<ScheduleMemory> memories) {
    UsableMemories usable = usable_in(request, std::move(memories));
    if (usable.memories.size() > result.back().memories.size()) result.push_back(std::move(usable));
  };
  add(memories_on_chip(request));
  if (request.external_ram) add(memories_with_external_ram(request));
  return result;
}

int64_t usable_bytes(const UsableMemories& usable) {
  int64_t sum = 0;
  for (size_t m = 0; m < usable.memories.size(); ++m)
    sum += usable.memories[m].capacity_bytes ? usable.usable_bytes[m] : 0;
  return sum;
}

}  // namespace thimble
