// SPDX-License-Identifier: Apache-2.0
#include "thimble/schedule/memories.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "thimble/model/error.h"

namespace thimble {
namespace {

constexpr size_t kLongestName = 32;

// It becomes an identifier of the emitted code.
bool is_memory_name(const std::string& name) {
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && name.size() <= kLongestName && letter(name[0]) &&
         std::ranges::all_of(
             name, [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

std::string memory_fault(const ScheduleMemory& memory) {
  if (!is_memory_name(memory.name))
    return "its name is not one of lower-case letters, digits and underscores, of which the first "
           "is a letter, 32 at most";
  if (memory.capacity_bytes &&
      (*memory.capacity_bytes < 0 || *memory.capacity_bytes > kMostMemoryBytes))
    return "its capacity is out of range";
  if (!(memory.wait_cycles >= 0 && memory.wait_cycles <= kMostWaitCycles))
    return "its wait cycles are out of range";
  if ((memory.kind == MemoryKind::kBlockStorage) != memory.storage.has_value())
    return "block storage, and only that, is written in granules and blocks";
  if (memory.storage) {
    const auto& [granule, block, in_flight] = *memory.storage;
    if (granule < 1 || granule > kMostGranuleBytes ||
        !std::has_single_bit(static_cast<uint64_t>(granule)))
      return "its granule is no power of two up to 4,096";
    if (block < 0 || block > kMostBlockBytes || block % granule != 0)
      return "its blocks are not whole granules, up to 16 MiB";
    if (in_flight < 1 || in_flight > kMostInFlight)
      return "its transfers in flight are not 1 to 64";
  }
  const bool aligns = memory.alignment >= 1 && memory.alignment <= kMostMemoryAlignment &&
                      std::has_single_bit(static_cast<uint64_t>(memory.alignment));
  return aligns ? "" : "its alignment is no power of two up to 4,096";
}

}  // namespace

std::vector<ScheduleMemory> common_memories() {
  return {{.name = "arena", .kind = MemoryKind::kSram},
          {.name = "caller", .kind = MemoryKind::kCaller},
          {.name = "stream", .kind = MemoryKind::kStream},
          {.name = "flash", .kind = MemoryKind::kMappedFlash}};
}

std::string memories_fault(const std::vector<ScheduleMemory>& memories) {
  const std::vector<ScheduleMemory> common = common_memories();
  if (memories.size() < common.size() || memories.size() > kMostMemories)
    return "the number of memories is out of range";
  std::set<std::string> names;
  for (size_t m = 0; m < memories.size(); ++m) {
    const ScheduleMemory& memory = memories[m];
    if (const std::string fault = memory_fault(memory); !fault.empty())
      return fmt::format("memory {}: {}", m, fault);
    if (!names.insert(memory.name).second)
      return fmt::format("memory {}: there is another '{}'", m, memory.name);
    if (m == kArena.index() ? memory.name != common[m].name || !on_chip(memory.kind)
                            : m < common.size() && memory != common[m])
      return fmt::format("memory {}: it is not the {}", m, common[m].name);
    const bool further = on_chip(memory.kind) || memory.kind == MemoryKind::kExternalRam ||
                         memory.kind == MemoryKind::kBlockStorage;
    if (m >= common.size() && !further)
      return fmt::format("memory {}: there is one {} only", m, name(memory.kind));
  }
  return "";
}

const char* name(Place place) {
  switch (place) {
    case Place::kResident:
      return "resident";
    case Place::kUser:
      return "user";
    case Place::kStreamed:
      return "streamed";
  }
  throw InternalError("unknown Place");
}

MemoryId memory_of(Place place) {
  switch (place) {
    case Place::kResident:
      return kArena;
    case Place::kUser:
      return kCaller;
    case Place::kStreamed:
      return kStream;
  }
  throw InternalError("unknown Place");
}

Place place_of(MemoryId memory) {
  if (memory == kCaller) return Place::kUser;
  return memory == kStream ? Place::kStreamed : Place::kResident;
}

}  // namespace thimble
