// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <memory>
#include <string_view>

#include "thimble/cli/commands.h"
#include "thimble/cli/pipeline.h"
#include "thimble/import/file_bytes.h"
#include "thimble/report/plan_report.h"

namespace thimble {
namespace {

struct ShowOptions {
  ModelOptions model;
  PlanOptions plan;
  std::string format = "text", svg;
};

int show_plan(const ShowOptions& options) {
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
                          .flash_limit_bytes = limits.flash_bytes};
  if (!options.svg.empty()) {
    const std::string svg = plan_svg(report);
    const std::array<std::string_view, 1> pieces{svg};
    write_file(options.svg, pieces);
  }
  if (options.svg != "/dev/stdout")
    fmt::print("{}", options.format == "json" ? plan_json(report) : plan_text(report));
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
  command->footer(
      "Examples:\n"
      "  thimble plan model.tflite\n"
      "  thimble plan zoo:demo --planner original --no-in-place --svg plan.svg\n"
      "  thimble plan model.tflite --sram 64K --format json");
  command->callback([options, &status] { status = show_plan(*options); });
}

}  // namespace thimble
