// SPDX-License-Identifier: Apache-2.0
#include "thimble/schedule/target_memories.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

namespace thimble {
namespace {

/// Banks that touch.
struct Run {
  Bank bank;
  size_t memory = 0;  ///< of the target: the one of its first bank
};

std::vector<Run> runs_of(const Target& target, const std::function<bool(MemoryKind)>& kinds) {
  std::vector<Run> banks, runs;
  for (size_t m = 0; m < target.memories.size(); ++m) {
    if (!kinds(target.memories[m].kind)) continue;
    for (const Bank& bank : target.memories[m].banks) banks.push_back({bank, m});
  }
  std::ranges::sort(banks, {}, [](const Run& run) { return run.bank.base; });
  for (const Run& next : banks) {
    if (!runs.empty() && runs.back().bank.base + runs.back().bank.size_bytes == next.bank.base) {
      runs.back().bank.size_bytes += next.bank.size_bytes;
    } else {
      runs.push_back(next);
    }
  }
  std::ranges::stable_sort(runs, {}, &Run::memory);
  return runs;
}

// Numbered where it is taken.
std::string memory_name(const std::string& text, std::set<std::string>& taken) {
  const std::string name = memory_identifier(text);
  std::string free = name;
  for (int number = 2; !taken.insert(free).second; ++number)
    free = fmt::format("{}_{}", name, number);
  return free;
}

}  // namespace

std::string memory_identifier(const std::string& text) {
  constexpr size_t kMostLetters = 20;
  std::string name;
  for (const char c : text.substr(0, kMostLetters)) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool digit = lower >= '0' && lower <= '9', letter = lower >= 'a' && lower <= 'z';
    if (name.empty() && !letter) name += "m_";
    name += letter || digit ? lower : '_';
  }
  return name;
}

std::vector<ScheduleMemory> schedule_memories(const Target& target, bool external_ram) {
  std::vector<ScheduleMemory> result = common_memories();
  std::vector<Run> runs = runs_of(target, [](MemoryKind kind) { return on_chip(kind); });
  const auto largest =
      std::ranges::max_element(runs, {}, [](const Run& run) { return run.bank.size_bytes; });
  if (largest == runs.end()) return result;
  std::set<std::string> taken;
  for (const ScheduleMemory& memory : result) taken.insert(memory.name);
  const Memory& first = target.memories[largest->memory];
  taken.insert(first.name);
  result[kArena.index()].kind = first.kind;
  result[kArena.index()].wait_cycles = wait_cycles(first, target.clock_hz);
  result[kArena.index()].capacity_bytes = std::min(largest->bank.size_bytes, kMostMemoryBytes);
  runs.erase(largest);
  std::vector<Run> external;
  if (external_ram)
    external = runs_of(target, [](MemoryKind kind) { return kind == MemoryKind::kExternalRam; });
  // Where there are more memories than a plan may have, the last banks on the chip are left out.
  const size_t most = kMostMemories - result.size();
  external.resize(std::min(external.size(), most));
  runs.resize(std::min(runs.size(), most - external.size()));
  runs.insert(runs.end(), external.begin(), external.end());
  for (const Run& run : runs) {
    const Memory& memory = target.memories[run.memory];
    result.push_back(
        {.name = memory_name(memory.name, taken),
         .kind = memory.kind,
         .capacity_bytes = std::min(run.bank.size_bytes, kMostMemoryBytes),
         .alignment =
             std::clamp(memory.alignment, ScheduleMemory().alignment, kMostMemoryAlignment),
         .wait_cycles = std::min(wait_cycles(memory, target.clock_hz), kMostWaitCycles)});
  }
  return result;
}

}  // namespace thimble
