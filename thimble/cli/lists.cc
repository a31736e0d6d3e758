// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "thimble/cli/commands.h"
#include "thimble/devices/device.h"
#include "thimble/devices/size.h"
#include "thimble/operators/operators.h"
#include "thimble/planners/planner.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

void list_devices() {
  fmt::print("{:<22} {:<16} {:<12} {:>9}  {:<28} {:<28} {}\n", "device", "chip", "core", "MHz",
             "SRAM", "largest piece", "flash");
  for (const Device& device : builtin_devices()) {
    fmt::print("{:<22} {:<16} {:<12} {:>9}  {:<28} {:<28} {}\n", device.name, device.chip,
               device.core, device.clock_hz / 1'000'000, human_size(device.sram_bytes()),
               human_size(device.largest_sram_run_bytes()), human_size(device.flash_bytes));
  }
}

void list_planners() {
  for (const Planner& planner : planners()) {
    const bool last = &planner == &planners().back();
    fmt::print("{:<12} {}{}\n", planner.name, planner.summary, last ? " (default)" : "");
    for (const auto& [key, meaning] : planner.options)
      fmt::print("{:<12}   {}=...  {}\n", "", key, meaning);
  }
}

void list_zoo() {
  for (const ZooEntry& entry : zoo_entries())
    fmt::print("zoo:{:<24} {}\n", entry.name, entry.about);
}

}  // namespace

void add_lists(CLI::App& app, int& status) {
  auto add = [&](const char* name, const char* help, void (*print)()) {
    app.add_subcommand(name, help)->callback([print, &status] {
      print();
      status = kDone;
    });
  };
  add("devices", "Boards that are known", list_devices);
  add("planners", "Planners and their options", list_planners);
  add("ops", "Operators that are supported, with their constraints",
      [] { fmt::print("{}", supported_ops_markdown()); });
  add("zoo", "Networks that are built in", list_zoo);
}

}  // namespace thimble
