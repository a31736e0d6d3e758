// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "thimble/cli/answers.h"
#include "thimble/cli/command_text.h"
#include "thimble/cli/commands.h"
#include "thimble/cli/options.h"
#include "thimble/cli/progress_line.h"
#include "thimble/driver/reports.h"
#include "thimble/model/error.h"
#include "thimble/report/front_words.h"
#include "thimble/report/html_page.h"

namespace thimble {
namespace {

struct ShowOptions {
  RequestOptions request;
  std::string format = "text", svg, pareto;
  ReportFile json;
  bool show_front = false, force = false;
};

constexpr const char* kNoFile = "-";

// --pareto takes a file or none; a model behind it is no file.
void tell_front_apart(ShowOptions& options) {
  std::string &model = options.request.model, &file = options.pareto;
  options.show_front = !file.empty();
  if (file == kNoFile) file.clear();
  const bool picture = file.empty() || file.ends_with(".svg") || file == kStandardOutput;
  if (!picture && model.empty()) std::swap(model, file);
  if (model.empty())
    throw CompileError("MODEL", "is required: a .tflite or .onnx file, or zoo:NAME");
  if (!picture && !file.empty())
    throw CompileError("--pareto", fmt::format("'{}' does not end in .svg", file));
}

int show_plan(ShowOptions options) {
  tell_front_apart(options);
  std::vector<OutputFile> outputs = report_outputs(options.json, "plan");
  outputs.push_back({{"--svg", options.svg}, FileKind::kSvg});
  outputs.push_back({{"--pareto", options.pareto}, FileKind::kSvg});
  check_outputs(input_files(options.request), outputs, options.force);
  Request asked = request(options.request);
  asked.model = read_model(options.request.model, asked.import);
  const auto compiled = compile_shown(asked, options.json);
  if (!compiled) return kDoesNotFit;
  PlanReport report = plan_report(*compiled);
  if (options.show_front && !report.front)
    throw CompileError("--pareto", "is for planners with a choice of plans, as auto");
  report.alternatives = alternatives_shown(asked, *compiled, options.json);
  const bool as_json = options.json.wanted() || options.format == "json";
  if (as_json) report.page = page_figures_shown(asked, *compiled);
  std::string svg, json, page, text, front;
  {
    const ProgressLine progress("drawing the plan");
    const Origin origin = origin_of(*options.json.command, compiled->sha256);
    if (!options.svg.empty()) svg = svg_with(origin, plan_svg(report));
    if (as_json) json = json_with(origin, plan_json(report));
    if (!options.json.html.empty()) page = html_page(json);
    if (options.format == "text")
      text = options.show_front ? pareto_text(report) : plan_text(report);
    if (!options.pareto.empty()) front = svg_with(origin, front_svg(*report.front, report.model));
  }
  write_text(options.pareto, front);
  write_text(options.svg, svg);
  write_text(options.json.path, json);
  write_text(options.json.html, page);
  if (options.svg != kStandardOutput && options.pareto != kStandardOutput)
    print_beside(options.json, options.format == "json" ? json : text);
  return report.fits() ? kDone : kDoesNotFit;
}

}  // namespace

void add_plan(CLI::App& app, int& status) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* command =
      app.add_subcommand("plan", "The schedule of a planner: loops, steps, buffers; as a picture");
  add_model_options(*command, options->request);
  add_plan_options(*command, options->request);
  as_output(command->add_option("--format", options->format, "text or json")
                ->check(CLI::IsMember({"text", "json"})));
  add_json(*command, options->json);
  add_html(*command, options->json);
  as_output(add_text(*command, "--svg", options->svg, "FILE",
                     "Draw it too: time to the right, addresses upwards"));
  command->get_option("MODEL")->required(false);  // see tell_front_apart
  as_output(add_text(*command, "--pareto", options->pareto, "FILE.svg",
                     "The plans to choose from, SRAM against instructions; with a file drawn too"))
      ->expected(0, 1)
      ->default_str(kNoFile);
  add_force(*command, options->force);
  command->footer(
      "Examples:\n"
      "  thimble plan model.tflite\n"
      "  thimble plan zoo:demo --planner original --no-in-place --svg plan.svg\n"
      "  thimble plan model.tflite --sram 64K --format json\n"
      "  thimble plan model.tflite --pareto front.svg\n"
      "  thimble plan model.tflite --device nucleo-f446re --html plan.html");
  command->callback([options, &status] { status = show_plan(*options); });
}

}  // namespace thimble
