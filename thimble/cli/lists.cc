// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "thimble/cli/commands.h"
#include "thimble/operators/operators.h"
#include "thimble/planners/planner.h"
#include "thimble/target/size.h"
#include "thimble/target/target.h"
#include "thimble/toolchain/board.h"

namespace thimble {
namespace {

// Columns as wide as their longest entry; the last is not filled up.
void print_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths(rows[0].size(), 0);
  for (const auto& row : rows) {
    for (size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  }
  for (const auto& row : rows) {
    for (size_t k = 0; k + 1 < row.size(); ++k) fmt::print("{:<{}}  ", row[k], widths[k]);
    fmt::print("{}\n", row.back());
  }
}

void list_devices() {
  std::vector<std::vector<std::string>> rows = {
      {"device", "core", "MHz", "SRAM", "largest piece of SRAM", "flash", "chip"}};
  for (const Target& device : builtin_targets()) {
    const char* emulated = boards_of(device.core.name).empty() ? "" : " (emulated)";
    rows.push_back({device.name, device.core.name + emulated,
                    fmt::format("{:>3}", device.clock_hz / 1'000'000),
                    human_size(device.sram_bytes()), human_size(device.largest_sram_run_bytes()),
                    human_size(device.flash_bytes), device.chip});
  }
  print_table(rows);
}

void list_planners() {
  for (const Planner& planner : planners()) {
    const bool last = &planner == &planners().back();
    fmt::print("{:<12} {}{}\n", planner.name, planner.summary, last ? " (default)" : "");
    for (const auto& [key, meaning] : planner.options)
      fmt::print("{:<12}   {}=...  {}\n", "", key, meaning);
  }
}

}  // namespace

void add_lists(CLI::App& app, int& status) {
  auto add = [&](const char* name, const char* help, const char* example, void (*print)()) {
    CLI::App* command = app.add_subcommand(name, help);
    command->footer(fmt::format("Example:\n  thimble {}", example));
    command->callback([print, &status] {
      print();
      status = kDone;
    });
  };
  add("devices", "Boards that are known",
      "devices && thimble compile model.tflite --device nucleo-f446re", list_devices);
  add("planners", "Planners and their options",
      "planners && thimble compile model.tflite --planner reorder:states=100000", list_planners);
  add("ops", "Operators that are supported, with their constraints", "ops > supported_ops.md",
      [] { fmt::print("{}", supported_ops_markdown()); });
}

}  // namespace thimble
