// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "thimble/cli/answers.h"
#include "thimble/cli/commands.h"
#include "thimble/cli/options.h"
#include "thimble/cli/progress_line.h"
#include "thimble/driver/reports.h"

namespace thimble {
namespace {

struct ShowOptions {
  ModelOptions model;
  PlanOptions plan;
  std::string format = "text", json, svg;
  bool force = false;
};

int show_plan(const ShowOptions& options) {
  check_outputs(input_files(options.model, options.plan),
                {{{"--svg", options.svg}, FileKind::kSvg},
                 {{"--json", options.json}, FileKind::kReport, "plan"}},
                options.force);
  const auto compiled = compile_shown(request(options.model, options.plan), options.json);
  if (!compiled) return kDoesNotFit;
  const PlanReport report = plan_report(*compiled);
  std::string svg, json, text;
  {
    const ProgressLine progress("drawing the plan");
    if (!options.svg.empty()) svg = plan_svg(report);
    if (!options.json.empty() || options.format == "json") json = plan_json(report);
    if (options.format == "text") text = plan_text(report);
  }
  write_text(options.svg, svg);
  write_text(options.json, json);
  if (options.svg != kStandardOutput)
    print_beside(options.json, options.format == "json" ? json : text);
  return report.fits() ? kDone : kDoesNotFit;
}

}  // namespace

void add_plan(CLI::App& app, int& status) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* command =
      app.add_subcommand("plan", "The schedule of a planner: loops, steps, buffers; as a picture");
  add_model_options(*command, options->model);
  add_plan_options(*command, options->plan);
  command->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  add_json(*command, options->json);
  add_text(*command, "--svg", options->svg, "FILE",
           "Draw it too: time to the right, addresses upwards");
  add_force(*command, options->force);
  command->footer(
      "Examples:\n"
      "  thimble plan model.tflite\n"
      "  thimble plan zoo:demo --planner original --no-in-place --svg plan.svg\n"
      "  thimble plan model.tflite --sram 64K --format json");
  command->callback([options, &status] { status = show_plan(*options); });
}

}  // namespace thimble
