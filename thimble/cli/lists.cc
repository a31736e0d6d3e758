// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "thimble/cli/answers.h"
#include "thimble/cli/commands.h"
#include "thimble/cli/options.h"
#include "thimble/operators/operators.h"
#include "thimble/report/devices_report.h"

namespace thimble {
namespace {

struct ListOptions {
  ReportFile json;
  bool force = false;
};

void list_devices(const ListOptions& options) {
  check_outputs({}, {{{"--json", options.json.path}, FileKind::kReport, "devices"}}, options.force);
  const std::vector<Target> devices = builtin_targets();
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
  CLI::App* devices = add("devices", "Boards that are known",
                          "devices && thimble compile model.tflite --device nucleo-f446re",
                          [options] { list_devices(*options); });
  add_json(*devices, options->json);
  add_force(*devices, options->force);
  add("planners", "Planners and their options",
      "planners && thimble compile model.tflite --planner reorder:states=100000", list_planners);
  add("ops", "Operators that are supported, with their constraints", "ops > supported_ops.md",
      [] { fmt::print("{}", supported_ops_markdown()); });
}

}  // namespace thimble
