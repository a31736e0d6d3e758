// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "thimble/cli/answers.h"
#include "thimble/cli/command_text.h"
#include "thimble/cli/commands.h"
#include "thimble/cli/options.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/planners/registry.h"
#include "thimble/report/device_text.h"
#include "thimble/report/devices_report.h"

namespace thimble {
namespace {

struct ListOptions {
  std::vector<std::string> words;
  ReportFile json;
  bool markdown = false;
  bool force = false;
};

/// What the words mean: a description in a file, or devices that are known.
std::vector<Device> devices_of(const std::vector<std::string>& words) {
  if (words.size() == 1 && words.front().ends_with(".json"))
    return {{.target = read_target(words.front()), .vendor = "", .aliases = {}, .sources = {}}};
  std::vector<Device> devices = matching_devices(words);
  if (devices.empty()) {
    throw CompileError("WORD", fmt::format("no device has all of {} in its names, chip, vendor or "
                                           "core; without words all are listed",
                                           fmt::join(words, ", ")));
  }
  return devices;
}

/// The one that is called so, or the only one, in full; then a table of the others.
std::string words_of(const std::vector<Device>& devices, const std::vector<std::string>& words) {
  const Device* const called = words.size() == 1 ? device_called(words.front()) : nullptr;
  const Device* const one = devices.size() == 1 ? &devices.front() : called;
  if (one == nullptr) return devices_text(devices);
  std::vector<Device> others = devices;
  std::erase_if(others, [&](const Device& other) { return other == *one; });
  return device_text(*one) + (others.empty() ? "" : "\n" + devices_text(others));
}

void list_devices(const ListOptions& options) {
  check_outputs({}, {{{"--json", options.json.path}, FileKind::kReport, "devices"}}, options.force);
  const std::vector<Device> devices = devices_of(options.words);
  write_report(options.json, "", devices_json(devices));
  print_beside(options.json,
               options.markdown ? devices_markdown(devices) : words_of(devices, options.words));
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
  CLI::App* devices = add(
      "devices", "Boards and chips that are known, those with all of some words, or one in full",
      "devices nrf52\n  thimble devices arduino cortex-m4\n  thimble devices nucleo-h743zi\n"
      "  thimble compile model.tflite --device nucleo-f446re",
      [options] { list_devices(*options); });
  devices->add_option("WORD", options->words,
                      "In its name, an alias, the chip, vendor or core; a whole name explains that "
                      "device, FILE.json "
                      "a description of one's own");
  as_output(devices->add_flag("--markdown", options->markdown, "Tables to paste"));
  add_json(*devices, options->json);
  add_force(*devices, options->force);
  add("planners", "Planners and their options",
      "planners && thimble compile model.tflite --planner reorder:states=100000", list_planners);
  add("ops", "Operators that are supported, with their constraints", "ops > supported_ops.md",
      [] { fmt::print("{}", supported_ops_markdown()); });
}

}  // namespace thimble
