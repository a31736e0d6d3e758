// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/devices_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "thimble/projects/usual_ecosystems.h"
#include "thimble/report/json_text.h"
#include "thimble/report/table.h"
#include "thimble/target/size.h"
#include "thimble/toolchain/board.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

const char* kind_of(const Device& device) {
  if (device.sources.empty()) return "description";
  if (device.emulated) return "emulator";
  return device.board ? "board" : "chip";
}

std::vector<std::string> row_of(const Device& device) {
  const Target& target = device.target;
  const char* emulated = boards_of(target.core.name).empty() ? "" : " (emulated)";
  return {target.name,
          target.core.name + emulated,
          std::to_string(target.clock_hz / 1'000'000),
          human_size(target.sram_bytes()),
          human_size(target.largest_sram_run_bytes()),
          target.flash_bytes > 0 ? human_size(target.flash_bytes) : "the board's",
          target.chip,
          device.vendor};
}

template <typename Value>
Json json_of(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json json_of(const StorageFigures& storage) {
  return {{"write_granule_bytes", json_of(storage.write_granule_bytes)},
          {"erase_block_bytes", json_of(storage.erase_block_bytes)},
          {"read_bytes_per_second", json_of(storage.read_bytes_per_second)},
          {"write_bytes_per_second", json_of(storage.write_bytes_per_second)},
          {"access_seconds", json_of(storage.access_seconds)},
          {"erase_seconds", json_of(storage.erase_seconds)},
          {"endurance_cycles", json_of(storage.endurance_cycles)},
          {"read_nanojoules_per_byte", json_of(storage.read_nanojoules_per_byte)},
          {"write_nanojoules_per_byte", json_of(storage.write_nanojoules_per_byte)},
          {"erase_nanojoules_per_block", json_of(storage.erase_nanojoules_per_block)},
          {"transfers_in_flight", json_of(storage.transfers_in_flight)},
          {"stalls_core", json_of(storage.stalls_core)},
          {"part_of_flash", storage.part_of_flash}};
}

Json json_of(const Memory& memory, int64_t clock_hz) {
  Json banks = Json::array();
  for (const Bank& bank : memory.banks)
    banks.push_back(
        {{"base", bank.has_address() ? Json(fmt::format("0x{:08X}", bank.base)) : Json()},
         {"size_bytes", bank.size_bytes}});
  const bool computes = memory.kind != MemoryKind::kBlockStorage;
  return {
      {"name", memory.name},
      {"kind", name(memory.kind)},
      {"alignment", memory.alignment},
      {"banks", banks},
      {"bytes_per_second", memory.bytes_per_second > 0 ? Json(memory.bytes_per_second) : Json()},
      {"wait_cycles_per_byte", computes ? Json(wait_cycles(memory, clock_hz)) : Json()},
      {"storage", memory.storage ? json_of(*memory.storage) : Json()}};
}

Json memories_of(const Target& target) {
  Json memories = Json::array();
  for (const Memory& memory : target.memories) memories.push_back(json_of(memory, target.clock_hz));
  return memories;
}

}  // namespace

std::string devices_text(const std::vector<Device>& devices) {
  constexpr std::pair<std::string_view, const char*> kKinds[] = {
      {"board", "boards"}, {"chip", "chips alone"}, {"emulator", "boards of emulators"}};
  std::string text;
  for (const auto& [kind, title] : kKinds) {
    Table table;
    table.groups = {{"",
                     {{title, false},
                      {"core", false},
                      {.header = "MHz"},
                      {.header = "SRAM"},
                      {.header = "largest piece"},
                      {.header = "flash"},
                      {"chip", false},
                      {"vendor", false}}}};
    for (const Device& device : devices) {
      if (kind_of(device) == kind) table.rows.push_back(row_of(device));
    }
    if (!table.rows.empty()) text += (text.empty() ? "" : "\n") + aligned_text(table, 0);
  }
  return text;
}

std::string devices_json(const std::vector<Device>& devices) {
  Json list = Json::array();
  for (const Device& device : devices) {
    const Target& target = device.target;
    list.push_back({{"name", target.name},
                    {"kind", kind_of(device)},
                    {"vendor", device.vendor},
                    {"chip", target.chip},
                    {"core", target.core.name},
                    {"emulated", !boards_of(target.core.name).empty()},
                    {"clock_hz", target.clock_hz},
                    {"sram_bytes", target.sram_bytes()},
                    {"largest_sram_run_bytes", target.largest_sram_run_bytes()},
                    {"flash_bytes", target.flash_bytes > 0 ? Json(target.flash_bytes) : Json()},
                    {"flash_line_bytes", json_of(target.flash_line_bytes)},
                    {"flash_wait_states", json_of(target.flash_wait_states)},
                    {"exports", usual_ecosystems(device)},
                    {"memories", memories_of(target)},
                    {"aliases", device.aliases},
                    {"sources", device.sources}});
  }
  return json_text("devices", {{"devices", list}});
}

}  // namespace thimble
