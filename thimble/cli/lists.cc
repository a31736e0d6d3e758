// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "thimble/cli/answers.h"
#include "thimble/cli/commands.h"
#include "thimble/cli/options.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/planners/registry.h"
#include "thimble/report/devices_report.h"

namespace thimble {
namespace {

struct ListOptions {
  std::vector<std::string> words;
  ReportFile json;
  bool force = false;
};

void list_devices(const ListOptions& options) {
  check_outputs({}, {{{"--json", options.json.path}, FileKind::kReport, "devices"}}, options.force);
  const std::vector<Device> devices = matching_devices(options.words);
  if (devices.empty()) {
    throw CompileError("WORD", fmt::format("no device has all of {} in its names, chip, vendor or "
                                           "core; without words all are listed",
                                           fmt::join(options.words, ", ")));
  }
  write_report(options.json, "", devices_json(devices));
  print_beside(options.json, devices_text(devices));
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
  const auto add = [&](const char* name, const char* help, const char* example,
                       std::function<void()> print) {
    CLI::App* command = app.add_subcommand(name, help);
    command->footer(fmt::format("Example:\n  thimble {}", example));
    command->callback([print = std::move(print), &status] {
      print();
      status = kDone;
    });
    return command;
  };
  auto options = std::make_shared<ListOptions>();
  CLI::App* devices =
      add("devices", "Boards and chips that are known, or those with all of some words",
          "devices nrf52\n  thimble devices arduino cortex-m4\n  thimble compile model.tflite "
          "--device nucleo-f446re",
          [options] { list_devices(*options); });
  devices->add_option("WORD", options->words, "In its name, an alias, the chip, vendor or core");
  add_json(*devices, options->json);
  add_force(*devices, options->force);
  add("planners", "Planners and their options",
      "planners && thimble compile model.tflite --planner reorder:states=100000", list_planners);
  add("ops", "Operators that are supported, with their constraints", "ops > supported_ops.md",
      [] { fmt::print("{}", supported_ops_markdown()); });
}

}  // namespace thimble
