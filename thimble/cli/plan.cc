// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <memory>
#include <string_view>

#include "thimble/cli/commands.h"
#include "thimble/cli/output_files.h"
#include "thimble/cli/pipeline.h"
#include "thimble/cli/progress_line.h"
#include "thimble/import/file_bytes.h"
#include "thimble/report/plan_report.h"

namespace thimble {
namespace {

struct ShowOptions {
  ModelOptions model;
  PlanOptions plan;
  std::string format = "text", svg;
  bool force = false;
};

int show_plan(const ShowOptions& options) {
  check_outputs(input_files(options.model, options.plan),
                {{{"--svg", options.svg}, FileKind::kSvg}}, options.force);
  const Source source = load(options.model.model);
  const Budget limits = budget(options.plan);
  const auto answer = compile_model(source, options.model, options.plan);
  if (const auto* no = std::get_if<Infeasible>(&answer)) {
    fmt::print("{}", infeasible_text(*no));
    return kDoesNotFit;
  }
  const Compiled& compiled = std::get<Compiled>(answer);
  const PlanReport report{.graph = compiled.graph,
                          .plan = compiled.plan,
                          .model = source.where,
                          .live_bytes = compiled.live_bytes,
                          .notes = compiled.planned.notes,
                          .macs = compiled.macs,
                          .recomputed_macs = compiled.recomputed_macs,
                          .weight_bytes = compiled.weight_bytes,
                          .sram_limit_bytes = limits.sram_bytes,
                          .flash_limit_bytes = limits.flash_bytes,
                          .estimate = estimate_on(compiled.program, limits.device)};
  const bool shown = options.svg != "/dev/stdout";
  std::string svg, text;
  {
    const ProgressLine progress("drawing the plan");
    if (!options.svg.empty()) svg = plan_svg(report);
    if (shown) text = options.format == "json" ? plan_json(report) : plan_text(report);
  }
  if (!options.svg.empty()) write_file(options.svg, std::array<std::string_view, 1>{svg});
  fmt::print("{}", text);
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
