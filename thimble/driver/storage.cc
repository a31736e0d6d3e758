// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "thimble/emit/identifier.h"
#include "thimble/emit/names.h"
#include "thimble/model/error.h"
#include "thimble/schedule/records.h"
#include "thimble/schedule/target_memories.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

constexpr const char* kOption = "--storage";
/// Transfers that a driver takes at once where nobody says how many.
constexpr int kUsualInFlight = 2;
constexpr double kMostTransferSeconds = 3600, kMostNanojoules = 1e12;

int64_t size_of(const std::string& key, const std::string& text) {
  try {
    return parse_size(text);
  } catch (const CompileError&) {
    throw CompileError(kOption, fmt::format("{}={} is no size such as 32, 4K or 1M", key, text));
  }
}

double number_of(const std::string& key, const std::string& text, const char* what, double most) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number >= 0) || number > most)
    throw CompileError(kOption, fmt::format("{}={} is no {}, 0 to {}", key, text, what, most));
  return number;
}

double seconds_of(const std::string& key, const std::string& text) {
  return number_of(key, text, "time in seconds", kMostTransferSeconds);
}

double nanojoules_of(const std::string& key, const std::string& text) {
  return number_of(key, text, "energy in nanojoules", kMostNanojoules);
}

int64_t above_0(const std::string& key, const std::string& text) {
  const int64_t number = size_of(key, text);
  if (number <= 0) throw CompileError(kOption, fmt::format("{} must be above 0", key));
  return number;
}

bool flag_of(const std::string& key, const std::string& text) {
  if (text != "yes" && text != "no")
    throw CompileError(kOption, fmt::format("{}={} is neither yes nor no", key, text));
  return text == "yes";
}

/// What one key says of how fast it is; false: the key is of something else.
bool set_figure(StorageFigures& figures, const std::string& key, const std::string& text) {
  if (key == "read_speed") {
    figures.read_bytes_per_second = above_0(key, text);
  } else if (key == "write_speed") {
    figures.write_bytes_per_second = above_0(key, text);
  } else if (key == "access_time") {
    figures.access_seconds = seconds_of(key, text);
  } else if (key == "erase_time") {
    figures.erase_seconds = seconds_of(key, text);
  } else if (key == "endurance") {
    figures.endurance_cycles = above_0(key, text);
  } else if (key == "read_energy") {
    figures.read_nanojoules_per_byte = nanojoules_of(key, text);
  } else if (key == "write_energy") {
    figures.write_nanojoules_per_byte = nanojoules_of(key, text);
  } else if (key == "erase_energy") {
    figures.erase_nanojoules_per_block = nanojoules_of(key, text);
  } else if (key == "stalls") {
    figures.stalls_core = flag_of(key, text);
  } else {
    return false;
  }
  return true;
}

void set(RequestedStorage& storage, const std::string& key, const std::string& text) {
  ScheduleMemory& memory = storage.memory;
  if (set_figure(storage.figures, key, text)) return;
  if (key == "compress") {
    storage.chunk_bytes = text.empty() ? kUsualChunkBytes : above_0(key, text);
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
    throw CompileError(kOption,
                       fmt::format("there is no '{}'; there are: write, erase, size, queue, "
                                   "compress, read_speed, write_speed, access_time, erase_time, "
                                   "endurance, read_energy, write_energy, erase_energy, stalls",
                                   key));
  }
}

RequestedStorage described(const std::string& name) {
  return {.memory = {.name = name,
                     .kind = MemoryKind::kBlockStorage,
                     .storage = BlockStorage{.most_in_flight = kUsualInFlight}},
          .figures = {}};
}

/// KEY=VALUE,..
void set_all(RequestedStorage& storage, const std::string& text) {
  std::set<std::string> given;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string pair = text.substr(begin, end - begin);
    begin = end + 1;
    const size_t equals = pair.find('=');
    const std::string key = pair.substr(0, equals);
    if (key.empty() || begin == text.size())
      throw CompileError(kOption, fmt::format("there is no key in a part of '{}'", text));
    if (!given.insert(key).second)
      throw CompileError(kOption, fmt::format("'{}' is given twice", key));
    set(storage, key, equals == std::string::npos ? "" : pair.substr(equals + 1));
  }
}

/// Not a name that something else of the emitted code has: "int", "input", "flash".
bool is_free(const std::string& name) {
  const std::vector<ScheduleMemory> others = common_memories();
  return identifier(name) == name && !name.starts_with("input") && !name.starts_with("output") &&
         std::ranges::find(others, name, &ScheduleMemory::name) == others.end();
}

/// What plans call a storage of the device.
std::string name_in_plans(const Memory& memory) {
  const std::string name = memory_identifier(memory.name);
  return is_free(name) ? name : name + "_storage";
}

RequestedStorage of_device(const Memory& memory) {
  const StorageFigures figures = memory.storage.value_or(StorageFigures{});
  const char* unknown = !figures.write_granule_bytes ? "the granule it is written in (write)"
                        : !figures.erase_block_bytes ? "its blocks (erase)"
                                                     : nullptr;
  if (unknown != nullptr)
    throw CompileError(kOption, fmt::format("of {} {} is not known: --storage {}:write=..,erase=..",
                                            memory.name, unknown, name_in_plans(memory)));
  const auto in_flight = static_cast<int>(figures.transfers_in_flight.value_or(kUsualInFlight));
  return {.memory = {.name = name_in_plans(memory),
                     .kind = MemoryKind::kBlockStorage,
                     .capacity_bytes = memory.size_bytes(),
                     .storage = BlockStorage{.write_bytes = *figures.write_granule_bytes,
                                             .erase_bytes = *figures.erase_block_bytes,
                                             .most_in_flight = in_flight}},
          .figures = figures};
}

/// As the device's file calls it, or else as plans do; null: there is none.
const Memory* storage_called(const std::string& name, const Target& target) {
  const Memory* found = nullptr;
  for (const Memory& memory : target.memories) {
    if (memory.kind != MemoryKind::kBlockStorage) continue;
    if (memory.name == name) return &memory;
    const bool alike = memory_identifier(memory.name) == name || name_in_plans(memory) == name;
    if (alike && found == nullptr) found = &memory;
  }
  return found;
}

RequestedStorage of_device(const std::string& name, const Target& target) {
  if (const Memory* found = storage_called(name, target)) return of_device(*found);
  std::string known;
  for (const Memory& memory : target.memories) {
    if (memory.kind == MemoryKind::kBlockStorage)
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
  RequestedStorage result = is_described ? described(name) : of_device(name, request.target);
  if (is_described && !is_free(name)) {
    throw CompileError(kOption, fmt::format("'{0}' is taken by something else of the emitted code: "
                                            "--storage {0}_storage:..",
                                            name));
  }
  const std::optional<int64_t> there = result.memory.capacity_bytes;
  if (end != std::string::npos) set_all(result, request.storage.substr(end + 1));
  if (there && result.memory.capacity_bytes > there) {
    throw CompileError(
        kOption, fmt::format("{} has {} B, which is less than size={}", result.memory.name, *there,
                             *result.memory.capacity_bytes));
  }
  const BlockStorage& blocks = *result.memory.storage;
  result.figures.write_granule_bytes = blocks.write_bytes;
  result.figures.erase_block_bytes = blocks.erase_bytes;
  result.figures.transfers_in_flight = blocks.most_in_flight;
  std::vector<ScheduleMemory> memories = common_memories();
  memories.push_back(result.memory);
  if (const std::string fault = memories_fault(memories); !fault.empty())
    throw CompileError(kOption, fault.substr(fault.find(": ") + 2));
  return result;
}

std::map<std::string, StorageFigures> storage_figures(const Request& request) {
  std::map<std::string, StorageFigures> result;
  for (const Memory& memory : request.target.memories) {
    if (memory.kind == MemoryKind::kBlockStorage)
      result[name_in_plans(memory)] = memory.storage.value_or(StorageFigures{});
  }
  if (const std::optional<RequestedStorage> storage = requested_storage(request))
    result[storage->memory.name] = storage->figures;
  return result;
}

TransferCycles storage_cycles(const StorageFigures& figures, int64_t clock_hz) {
  constexpr double kUsualClock = 100e6, kUsualSpeed = 1e6;
  const double clock = clock_hz > 0 ? static_cast<double>(clock_hz) : kUsualClock;
  const auto each_byte = [&](const std::optional<int64_t>& speed) {
    return clock / (speed ? static_cast<double>(*speed) : kUsualSpeed);
  };
  return {.access = clock * figures.access_seconds.value_or(0),
          .read_byte = each_byte(figures.read_bytes_per_second),
          .write_byte = each_byte(figures.write_bytes_per_second),
          .erase_block = clock * figures.erase_seconds.value_or(0),
          .beside = !figures.stalls_core.value_or(false)};
}

std::optional<TransferEnergy> storage_energy(const StorageFigures& figures) {
  const std::optional<double>& read = figures.read_nanojoules_per_byte;
  const std::optional<double>& write = figures.write_nanojoules_per_byte;
  const bool erases = figures.erase_block_bytes.value_or(1) > 0;
  if (!read || !write || (erases && !figures.erase_nanojoules_per_block)) return std::nullopt;
  return TransferEnergy{.read_byte = *read,
                        .write_byte = *write,
                        .erase_block = figures.erase_nanojoules_per_block.value_or(0)};
}

int64_t flash_taken_bytes(const Program& program, const Request& request) {
  if (request.flash_bytes) return 0;
  int64_t sum = 0;
  for (const MemoryId id : storages(program)) {
    const Memory* found = storage_called(program.memory(id).name, request.target);
    // One that is described by the request lies nobody knows where.
    const bool is_described = request.storage.find(':') != std::string::npos;
    if (is_described || found == nullptr) continue;
    if (!found->storage || !found->storage->part_of_flash) continue;
    const int64_t block = std::max<int64_t>(1, found->storage->erase_block_bytes.value_or(1));
    sum += (program.memory(id).size_bytes + block - 1) / block * block;
  }
  return sum;
}

}  // namespace thimble
