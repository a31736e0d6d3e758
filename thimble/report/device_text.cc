// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/device_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "thimble/projects/usual_ecosystems.h"
#include "thimble/report/table.h"
#include "thimble/target/size.h"
#include "thimble/toolchain/board.h"

namespace thimble {
namespace {

/// A line "label   what", and what of a memory nobody has looked up.
struct Figures {
  std::vector<std::pair<std::string, std::string>> known;
  std::vector<std::string> unknown;

  template <typename Value, typename Words>
  void add(const char* label, const std::optional<Value>& value, Words words) {
    if (value) {
      known.emplace_back(label, words(*value));
    } else {
      unknown.emplace_back(label);
    }
  }
};

/// "48 ms".
std::string time_words(double seconds) {
  constexpr std::array<std::pair<double, const char*>, 3> kUnits = {
      {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}}};
  for (const auto& [unit, name] : kUnits) {
    if (seconds >= unit) return fmt::format("{:.4g} {}", seconds / unit, name);
  }
  return fmt::format("{:.4g} ns", seconds * 1e9);
}

std::string speed_words(int64_t bytes_per_second) {
  const auto speed = static_cast<double>(bytes_per_second);
  return speed < 1e6 ? fmt::format("{:.4g} kB/s", speed / 1e3)
                     : fmt::format("{:.4g} MB/s", speed / 1e6);
}

std::string energy_words(double nanojoules) { return fmt::format("{:.4g} nJ", nanojoules); }

Figures figures_of(const StorageFigures& storage) {
  Figures figures;
  const bool erases = storage.erase_block_bytes != 0;
  figures.add("write granule", storage.write_granule_bytes, human_size);
  figures.add("erase block", storage.erase_block_bytes, [](int64_t bytes) {
    return bytes == 0 ? "none: it is overwritten without being erased" : human_size(bytes);
  });
  figures.add("read bandwidth", storage.read_bytes_per_second, speed_words);
  figures.add("write bandwidth", storage.write_bytes_per_second, speed_words);
  figures.add("access latency", storage.access_seconds, time_words);
  if (erases) figures.add("block erase time", storage.erase_seconds, time_words);
  figures.add("endurance", storage.endurance_cycles, [&](int64_t cycles) {
    return with_separators(cycles) + (erases ? " erases of a block" : " writes of a byte");
  });
  figures.add("energy per byte read", storage.read_nanojoules_per_byte, energy_words);
  figures.add("energy per byte written", storage.write_nanojoules_per_byte, energy_words);
  if (erases)
    figures.add("energy per block erased", storage.erase_nanojoules_per_block, energy_words);
  figures.add("transfers in flight", storage.transfers_in_flight,
              [](int64_t count) { return fmt::format("{} at most", count); });
  figures.add("while it is written", storage.stalls_core, [](bool stalls) {
    return stalls ? "the core waits, as it executes from the same bank or chip"
                  : "the core goes on";
  });
  return figures;
}

std::string lines_of(const Figures& figures) {
  size_t width = 0;
  for (const auto& [label, words] : figures.known) width = std::max(width, label.size());
  std::string text;
  for (const auto& [label, words] : figures.known)
    text += fmt::format("  {:<{}}  {}\n", label, width, words);
  if (!figures.unknown.empty())
    text += fmt::format("  not known: {}\n", fmt::join(figures.unknown, ", "));
  return text;
}

std::string wait_words(const Memory& memory, int64_t clock_hz) {
  if (memory.kind == MemoryKind::kBlockStorage) return "-";
  if (on_chip(memory.kind) && memory.bytes_per_second == 0) return "0";
  return fmt::format("{:.3g}{}", wait_cycles(memory, clock_hz),
                     memory.bytes_per_second == 0 ? " (assumed)" : "");
}

std::string memory_table(const Target& target) {
  Table table{.groups = {{"",
                          {{"memory", false},
                           {"kind", false},
                           {"bank", false},
                           {.header = "size"},
                           {.header = "waits, cycles a byte"}}}},
              .rows = {}};
  for (const Memory& memory : target.memories) {
    for (const Bank& bank : memory.banks) {
      const bool first = &bank == &memory.banks.front();
      table.rows.push_back({first ? memory.name : "", first ? name(memory.kind) : "",
                            bank.has_address() ? fmt::format("0x{:08X}", bank.base) : "no address",
                            human_size(bank.size_bytes),
                            first ? wait_words(memory, target.clock_hz) : ""});
    }
  }
  return aligned_text(table, 0);
}

std::string storage_text(const Memory& memory) {
  if (!memory.storage)
    return fmt::format("\n{}: storage of which no figure is known\n", memory.name);
  return fmt::format(
      "\n{}: storage{}\n{}", memory.name,
      memory.storage->part_of_flash ? " in a part of flash, which code and weights then lack" : "",
      lines_of(figures_of(*memory.storage)));
}

Figures chip_figures(const Device& device) {
  const Target& target = device.target;
  Figures figures;
  figures.known.emplace_back(
      "core", target.core.name + (boards_of(target.core.name).empty() ? "" : " (emulated)"));
  figures.known.emplace_back("clock",
                             fmt::format("{:.4g} MHz", static_cast<double>(target.clock_hz) / 1e6));
  figures.known.emplace_back(
      "SRAM", fmt::format("{}, {} of it in one piece", human_size(target.sram_bytes()),
                          human_size(target.largest_sram_run_bytes())));
  figures.known.emplace_back("flash", target.flash_bytes > 0
                                          ? human_size(target.flash_bytes) + " for code and weights"
                                          : "the board's");
  figures.add("wait states of flash", target.flash_wait_states, [&](int64_t states) {
    return target.flash_line_bytes ? fmt::format("{} for {} B", states, *target.flash_line_bytes)
                                   : std::to_string(states);
  });
  const std::vector<std::string> exports = usual_ecosystems(device);
  if (!exports.empty())
    figures.known.emplace_back("--export", fmt::format("{}", fmt::join(exports, ", ")));
  for (const Memory& memory : target.memories) {
    if (memory.kind == MemoryKind::kExternalRam && memory.bytes_per_second == 0)
      figures.unknown.push_back(fmt::format("speed of {}", memory.name));
  }
  return figures;
}

std::string title_of(const Device& device) {
  const Target& target = device.target;
  std::string title = target.name;
  if (!device.aliases.empty()) title += fmt::format(" (also {})", fmt::join(device.aliases, ", "));
  if (device.sources.empty()) return fmt::format("{}: a description of one's own\n", title);
  if (device.emulated) return fmt::format("{}: an emulator's board\n", title);
  return device.board
             ? fmt::format("{}: a board of {} with {}\n", title, device.vendor, target.chip)
             : fmt::format("{}: a chip of {}\n", title, device.vendor);
}

std::string left_out_text(const Target& target) {
  const int64_t states = target.flash_wait_states.value_or(0);
  return fmt::format("\nEstimates of time leave out caches{}{}.\n",
                     target.flash_wait_states == 0 ? "" : " and wait states of flash",
                     states == 0 ? ""
                                 : fmt::format(": what neither cache nor prefetch serves takes up "
                                               "to {} times as long",
                                               states + 1));
}

}  // namespace

std::string device_text(const Device& device) {
  const Target& target = device.target;
  std::string text =
      title_of(device) + lines_of(chip_figures(device)) + "\n" + memory_table(target);
  for (const Memory& memory : target.memories) {
    if (memory.kind == MemoryKind::kBlockStorage) text += storage_text(memory);
  }
  text += left_out_text(target);
  if (!device.sources.empty()) text += "\nsources\n";
  for (const std::string& source : device.sources) text += fmt::format("  {}\n", source);
  return text;
}

}  // namespace thimble
