// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "thimble/report/simulation_report.h"
#include "thimble/report/table.h"
#include "thimble/report/tensor_text.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

std::string ms_text(double seconds) { return fmt::format("{:.3f} ms", 1e3 * seconds); }

std::string share_text(double part, double whole) {
  return whole > 0 ? fmt::format(" ({:.1f} %)", 100 * part / whole) : "";
}

std::string line(const char* label, const std::string& text) {
  return fmt::format("  {:<9}  {}\n", label, text);
}

std::string driver_text(const SimulatedDriver& driver) {
  std::string text = driver.polled ? "the core moves bytes" : "a DMA moves bytes";
  if (driver.erases_ahead)
    text += "; a second area is erased for the next inference meanwhile";
  else if (driver.polled)
    text += ", and waits for erases";
  if (driver.erases_beside) text += "; erases hold up no transfers";
  if (driver.stored_share != 1)
    text += fmt::format("; {:.4g} of the bytes are moved (assumed)", driver.stored_share);
  return text;
}

std::string speed_text(const SimulationReport& report) {
  if (report.seconds_per_mac)
    return fmt::format("{:.5g} ns for each MAC", 1e9 * *report.seconds_per_mac);
  return fmt::format("{} at {:.4g} MHz, {}", report.core,
                     static_cast<double>(report.clock_hz) / 1e6,
                     report.measured ? "by a board's profile" : "a cycle for each instruction");
}

std::string waits_text(const Simulation& simulation) {
  std::vector<std::string> causes;
  for (size_t k = 0; k < kWaitCauses; ++k) {
    const double seconds = simulation.waited_seconds[k];
    if (seconds > 0)
      causes.push_back(fmt::format("{} {:.3f}", name(static_cast<WaitCause>(k)), 1e3 * seconds));
  }
  const double all = simulation.waited();
  return fmt::format("{}{}{}", ms_text(all), share_text(all, simulation.seconds),
                     causes.empty() ? "" : fmt::format(": {}", fmt::join(causes, ", ")));
}

std::string flash_text(const SimulationReport& report) {
  const FlashWaits& flash = report.flash;
  if (!flash.wait_states) return "not known, and not counted";
  if (*flash.wait_states == 0) return "none";
  std::string text = fmt::format("{}, not counted", *flash.wait_states);
  if (const auto most = flash.most_seconds(report.simulation.constant_bytes_read))
    return text + fmt::format("; for weights at most {}, if none is ever in a cache ({} for {} B)",
                              ms_text(*most), *flash.wait_states, *flash.line_bytes);
  return text + "; how many bytes they are for is not known";
}

std::string wear_text(const SimulationReport& report, const SimulatedStorage& storage) {
  const bool erases = storage.work.erased_bytes > 0;
  std::string text =
      fmt::format("{}: its most {} {:.4g} times an inference", storage.name,
                  erases ? "worn block is erased" : "written byte is written", storage.cycles);
  if (!storage.figures.endurance_cycles) return text + "; its endurance is not known";
  const std::optional<double> years = storage.years(report.per_day());
  if (!years) return text;
  return text + fmt::format("; {} times are {:.3g} years at {:.6g} inferences a day{}",
                            with_separators(*storage.figures.endurance_cycles), *years,
                            report.per_day(),
                            report.inferences_per_day ? "" : ", one behind the other");
}

std::string energy_text(const Simulation& simulation) {
  std::string text;
  for (const SimulatedStorage& storage : simulation.storages) {
    const std::optional<double> joules = storage.joules();
    text += fmt::format("{}: {}; ", storage.name,
                        joules ? fmt::format("{:.4g} mJ", 1e3 * *joules) : "not known");
  }
  return text + "of the core and other memories not known";
}

std::string storage_table(const Simulation& simulation) {
  Table table{.groups = {{"",
                          {{"storage", false},
                           {.header = "reads"},
                           {.header = "bytes"},
                           {.header = "writes"},
                           {.header = "bytes"},
                           {.header = "erases"},
                           {.header = "blocks"},
                           {.header = "busy ms"},
                           {.header = "hidden ms"}}}},
              .rows = {}};
  for (const SimulatedStorage& storage : simulation.storages) {
    const StorageWork& work = storage.work;
    std::vector<std::string> row = {storage.name};
    for (size_t k = 0; k < kChannelWorks; ++k) {
      row.push_back(with_separators(work.requests[k]));
      row.push_back(with_separators(work.amounts[k]));
    }
    row.push_back(fmt::format("{:.3f}", 1e3 * storage.seconds.busy()));
    row.push_back(fmt::format("{:.3f}", 1e3 * storage.seconds.hidden));
    table.rows.push_back(std::move(row));
  }
  return aligned_text(table, 0);
}

std::string memory_table(const std::vector<MemoryTraffic>& memories) {
  Table table{
      .groups = {{"", {{"memory", false}, {"kind", false}, {.header = "bytes read and written"}}}},
      .rows = {}};
  for (const MemoryTraffic& memory : memories)
    table.rows.push_back({memory.name, name(memory.kind), with_separators(memory.bytes)});
  return aligned_text(table, 0);
}

}  // namespace

std::optional<double> FlashWaits::most_seconds(double constant_bytes_read) const {
  if (!wait_states || (*wait_states > 0 && !line_bytes) || clock_hz <= 0) return std::nullopt;
  if (*wait_states == 0) return 0.0;
  const double lines = std::ceil(constant_bytes_read / static_cast<double>(*line_bytes));
  return lines * static_cast<double>(*wait_states) / static_cast<double>(clock_hz);
}

double SimulationReport::per_day() const {
  constexpr double kSecondsPerDay = 86400;
  if (inferences_per_day) return *inferences_per_day;
  return simulation.seconds > 0 ? kSecondsPerDay / simulation.seconds : 0;
}

std::string simulation_text(const SimulationReport& report) {
  const Simulation& simulation = report.simulation;
  std::string text = fmt::format("{}{} (planner {})\n", display_name(report.model),
                                 report.device.empty() ? "" : " on " + report.device,
                                 display_name(report.plan.planner));
  text += line("inference",
               ms_text(simulation.seconds) +
                   (simulation.inferences > 1
                        ? fmt::format(" (number {} of a row; the first one {})",
                                      simulation.inferences, ms_text(simulation.first_seconds))
                        : ""));
  text += line("computes", fmt::format("{}{}: {}", ms_text(simulation.computed_seconds),
                                       share_text(simulation.computed_seconds, simulation.seconds),
                                       speed_text(report)));
  text += line("waits", waits_text(simulation));
  if (const auto hidden = simulation.hidden_share())
    text += line(
        "hidden",
        fmt::format("{:.1f} % of what storages do goes on while the core computes", 100 * *hidden));
  text += line("arena", human_size(report.plan.placement.arena_bytes()));
  text += line("flash", "wait states: " + flash_text(report));
  if (!simulation.storages.empty()) {
    text += line("driver", driver_text(report.driver));
    for (const SimulatedStorage& storage : simulation.storages) {
      if (storage.cycles > 0) text += line("wear", wear_text(report, storage));
    }
  }
  text += line("energy", energy_text(simulation));
  if (!simulation.left_out.empty())
    text += line("left out", fmt::format("not known, and taken as none: {}",
                                         fmt::join(simulation.left_out, ", ")));
  for (const std::string& note : report.notes) text += line("note", note);
  text += "\n" + memory_table(report.memories);
  if (!simulation.storages.empty()) text += "\n" + storage_table(simulation);
  return text;
}

}  // namespace thimble
