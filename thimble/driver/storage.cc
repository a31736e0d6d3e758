// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "thimble/model/error.h"
#include "thimble/schedule/records.h"
#include "thimble/schedule/target_memories.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

constexpr const char* kOption = "--storage";
/// Transfers that a driver takes at once where nobody says how many.
constexpr int kUsualInFlight = 2;

int64_t size_of(const std::string& key, const std::string& text) {
  try {
    return parse_size(text);
  } catch (const CompileError&) {
    throw CompileError(kOption, fmt::format("{}={} is no size such as 32, 4K or 1M", key, text));
  }
}

void set(RequestedStorage& storage, const std::string& key, const std::string& text) {
  ScheduleMemory& memory = storage.memory;
  if (key == "compress") {
    storage.chunk_bytes = text.empty() ? kUsualChunkBytes : size_of(key, text);
    if (storage.chunk_bytes == 0) throw CompileError(kOption, "compress=0: a chunk has bytes");
  } else if (key == "write") {
    memory.storage->write_bytes = size_of(key, text);
  } else if (key == "erase") {
    memory.storage->erase_bytes = size_of(key, text);
  } else if (key == "size") {
    memory.capacity_bytes = size_of(key, text);
  } else if (key == "queue") {
    memory.storage->most_in_flight =
        static_cast<int>(std::min<int64_t>(size_of(key, text), kMostInFlight + 1));
  } else {
    throw CompileError(
        kOption,
        fmt::format("there is no '{}'; there are: write, erase, size, queue, compress", key));
  }
}

ScheduleMemory described(const std::string& name) {
  return {.name = name,
          .kind = MemoryKind::kBlockStorage,
          .storage = BlockStorage{.most_in_flight = kUsualInFlight}};
}

/// KEY=VALUE,..
void set_all(RequestedStorage& storage, std::string_view rest) {
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string pair(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    const size_t equals = pair.find('=');
    set(storage, pair.substr(0, equals),
        equals == std::string::npos ? "" : pair.substr(equals + 1));
  }
}

ScheduleMemory of_device(const Memory& memory) {
  const StorageFigures figures = memory.storage.value_or(StorageFigures{});
  const char* unknown = !figures.write_granule_bytes ? "the granule it is written in (write)"
                        : !figures.erase_block_bytes ? "its blocks (erase)"
                                                     : nullptr;
  if (unknown != nullptr)
    throw CompileError(kOption, fmt::format("of {} {} is not known: --storage {}:write=..,erase=..",
                                            memory.name, unknown, memory_identifier(memory.name)));
  return {.name = memory_identifier(memory.name),
          .kind = MemoryKind::kBlockStorage,
          .capacity_bytes = memory.size_bytes(),
          .storage = BlockStorage{.write_bytes = *figures.write_granule_bytes,
                                  .erase_bytes = *figures.erase_block_bytes,
                                  .most_in_flight = static_cast<int>(
                                      figures.transfers_in_flight.value_or(kUsualInFlight))}};
}

ScheduleMemory of_device(const std::string& name, const Target& target) {
  std::string known;
  for (const Memory& memory : target.memories) {
    if (memory.kind != MemoryKind::kBlockStorage) continue;
    if (memory_identifier(memory.name) == name || memory.name == name) return of_device(memory);
    known += (known.empty() ? "" : ", ") + memory.name;
  }
  throw CompileError(
      kOption, fmt::format("{} has no storage '{}'{}; one that it does not know is described: "
                           "--storage {}:write=32,erase=4K",
                           target.name.empty() ? "the target" : target.name, name,
                           known.empty() ? "" : fmt::format("; it has {}", known), name));
}

}  // namespace

std::optional<RequestedStorage> requested_storage(const Request& request) {
  if (request.storage.empty()) return std::nullopt;
  const size_t end = request.storage.find_first_of(":,");
  const std::string name = request.storage.substr(0, end);
  const bool is_described = end != std::string::npos && request.storage[end] == ':';
  RequestedStorage result{.memory =
                              is_described ? described(name) : of_device(name, request.target)};
  if (end != std::string::npos) set_all(result, std::string_view(request.storage).substr(end + 1));
  std::vector<ScheduleMemory> memories = common_memories();
  memories.push_back(result.memory);
  if (const std::string fault = memories_fault(memories); !fault.empty())
    throw CompileError(kOption, fault.substr(fault.find(": ") + 2));
  return result;
}

}  // namespace thimble
