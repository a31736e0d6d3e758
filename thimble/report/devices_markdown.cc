// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "thimble/projects/usual_ecosystems.h"
#include "thimble/report/devices_report.h"
#include "thimble/report/table.h"
#include "thimble/target/size.h"
#include "thimble/toolchain/board.h"

namespace thimble {
namespace {

/// "448 KiB", "8 MiB".
std::string whole_size(int64_t bytes) {
  constexpr int64_t kKiB = 1024;
  if (bytes == 0 || bytes % kKiB != 0) return with_separators(bytes) + " B";
  if (bytes % (kKiB * kKiB) != 0) return with_separators(bytes / kKiB) + " KiB";
  return with_separators(bytes / (kKiB * kKiB)) + " MiB";
}

/// "112 + 16 KiB".
std::string banks_text(const Memory& memory) {
  std::vector<std::string> sizes;
  for (const Bank& bank : memory.banks) sizes.push_back(whole_size(bank.size_bytes));
  for (size_t k = 0; k + 1 < sizes.size(); ++k) {
    const std::string unit = sizes[k].substr(sizes[k].find(' '));
    if (sizes[k + 1].ends_with(unit)) sizes[k].resize(sizes[k].size() - unit.size());
  }
  return fmt::format("{}", fmt::join(sizes, " + "));
}

/// Each memory of the target that is on the chip, or each that is not.
std::string memories_text(const Target& target, bool inside) {
  std::vector<std::string> texts;
  for (const Memory& memory : target.memories) {
    if (on_chip(memory.kind) != inside) continue;
    const bool own_flash = memory.storage && memory.storage->part_of_flash;
    const bool storage = memory.kind == MemoryKind::kBlockStorage;
    texts.push_back(fmt::format("`{}` {}{}", memory.name, banks_text(memory),
                                own_flash ? ", a part of flash"
                                : storage ? ", storage"
                                          : ""));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::vector<std::string> in_code(std::vector<std::string> texts) {
  for (std::string& text : texts) text = "`" + text + "`";
  return texts;
}

/// "`pico` (`rpi-pico`)".
std::string names_of(const Device& device) {
  std::string text = "`" + device.target.name + "`";
  if (!device.aliases.empty())
    text += fmt::format(" ({})", fmt::join(in_code(device.aliases), ", "));
  return text;
}

/// Of devices with the same figures: boards, then the chip alone.
std::vector<std::string> row_of(std::vector<Device> devices) {
  std::ranges::stable_sort(devices, {}, [](const Device& device) { return !device.board; });
  const Target& target = devices.front().target;
  std::vector<std::string> names, ecosystems;
  for (const Device& device : devices) {
    names.push_back(names_of(device));
    for (const std::string& ecosystem : usual_ecosystems(device)) {
      if (std::ranges::find(ecosystems, ecosystem) == ecosystems.end())
        ecosystems.push_back(ecosystem);
    }
  }
  const std::vector<Board> emulated = boards_of(target.core.name);
  return {fmt::format("{}", fmt::join(names, ", ")),
          target.chip,
          target.core.name,
          std::to_string(target.clock_hz / 1'000'000),
          memories_text(target, true),
          target.flash_bytes > 0 ? whole_size(target.flash_bytes) : "the board's",
          memories_text(target, false),
          emulated.empty() ? "" : emulated.front().machine,
          fmt::format("{}", fmt::join(in_code(ecosystems), ", "))};
}

bool same_figures(const Target& a, Target b) {
  b.name = a.name;
  return a == b;
}

}  // namespace

std::string devices_markdown(const std::vector<Device>& devices) {
  std::map<std::string, std::vector<std::vector<Device>>> vendors;
  for (const Device& device : devices) {
    std::vector<std::vector<Device>>& rows = vendors[chip_vendor(device)];
    const auto row = std::ranges::find_if(rows, [&](const std::vector<Device>& others) {
      return same_figures(others.front().target, device.target);
    });
    row == rows.end() ? rows.push_back({device}) : row->push_back(device);
  }
  std::string text;
  for (auto& [vendor, rows] : vendors) {
    std::ranges::stable_sort(
        rows, {}, [](const std::vector<Device>& row) { return row.front().target.chip; });
    Table table{{{"",
                  {{"`--device`", false},
                   {"chip", false},
                   {"core", false},
                   {"MHz"},
                   {"SRAM", false},
                   {"flash", false},
                   {"beside it", false},
                   {"QEMU", false},
                   {"`--export`", false}}}},
                {}};
    for (const std::vector<Device>& row : rows) table.rows.push_back(row_of(row));
    text += fmt::format("{}### {}\n\n{}", text.empty() ? "" : "\n",
                        vendor.empty() ? "Of one's own" : vendor, markdown(table));
  }
  return text;
}

}  // namespace thimble
