// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/devices_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "thimble/report/json_text.h"
#include "thimble/report/table.h"
#include "thimble/target/size.h"
#include "thimble/toolchain/board.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

const char* kind_of(const Device& device) {
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
    list.push_back(
        {{"name", target.name},
         {"kind", kind_of(device)},
         {"vendor", device.vendor},
         {"chip", target.chip},
         {"core", target.core.name},
         {"emulated", !boards_of(target.core.name).empty()},
         {"clock_hz", target.clock_hz},
         {"sram_bytes", target.sram_bytes()},
         {"largest_sram_run_bytes", target.largest_sram_run_bytes()},
         {"flash_bytes", target.flash_bytes > 0 ? Json(target.flash_bytes) : Json()},
         {"flash_wait_states", target.flash_wait_states ? Json(*target.flash_wait_states) : Json()},
         {"aliases", device.aliases},
         {"sources", device.sources}});
  }
  return json_text("devices", {{"devices", list}});
}

}  // namespace thimble
