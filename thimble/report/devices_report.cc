// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/devices_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "thimble/report/json_text.h"
#include "thimble/target/size.h"
#include "thimble/toolchain/board.h"

namespace thimble {

using Json = nlohmann::ordered_json;

// Columns as wide as their longest entry; the last is not filled up.
std::string devices_text(const std::vector<Target>& devices) {
  std::vector<std::vector<std::string>> rows = {
      {"device", "core", "MHz", "SRAM", "largest piece of SRAM", "flash", "chip"}};
  for (const Target& device : devices) {
    const char* emulated = boards_of(device.core.name).empty() ? "" : " (emulated)";
    rows.push_back({device.name, device.core.name + emulated,
                    fmt::format("{:>3}", device.clock_hz / 1'000'000),
                    human_size(device.sram_bytes()), human_size(device.largest_sram_run_bytes()),
                    human_size(device.flash_bytes), device.chip});
  }
  std::vector<size_t> widths(rows[0].size(), 0);
  for (const auto& row : rows) {
    for (size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (size_t k = 0; k + 1 < row.size(); ++k) text += fmt::format("{:<{}}  ", row[k], widths[k]);
    text += row.back() + "\n";
  }
  return text;
}

std::string devices_json(const std::vector<Target>& devices) {
  Json list = Json::array();
  for (const Target& device : devices) {
    list.push_back({{"name", device.name},
                    {"chip", device.chip},
                    {"core", device.core.name},
                    {"emulated", !boards_of(device.core.name).empty()},
                    {"clock_hz", device.clock_hz},
                    {"sram_bytes", device.sram_bytes()},
                    {"largest_sram_run_bytes", device.largest_sram_run_bytes()},
                    {"flash_bytes", device.flash_bytes}});
  }
  return json_text("devices", {{"devices", list}});
}

}  // namespace thimble
