// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/inspect.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <variant>

#include "thimble/cli/answers.h"
#include "thimble/cli/command_text.h"
#include "thimble/cli/commands.h"
#include "thimble/cli/options.h"
#include "thimble/cli/progress_line.h"
#include "thimble/driver/interpreter_export.h"
#include "thimble/driver/layer_estimate.h"
#include "thimble/import/file_bytes.h"
#include "thimble/import/model_file.h"
#include "thimble/import/sha256.h"
#include "thimble/report/survey_report.h"
#include "thimble/report/warnings.h"

namespace thimble {
namespace {

struct InspectOptions {
  RequestOptions request;
  std::string format = "text";
  ReportFile json;
  bool rewritten = false, force = false;
};

constexpr int64_t kMostBytes = int64_t{1} << 31;

void check_json(const InspectOptions& options, const char* report) {
  check_outputs({{"MODEL", options.request.model}},
                {{{"--json", options.json.path}, FileKind::kReport, report}}, options.force);
}

/// What cannot be compiled can be looked at.
int inspect_unsupported(const InspectOptions& options, const CompileError& error) {
  if (options.request.model.starts_with("zoo:") || options.format == "csv") throw error;
  const Survey survey = survey_model(options.request.model, import_options(options.request));
  if (survey.obstacles.empty()) throw error;
  check_json(options, "survey");
  const std::string json = json_with(
      origin_of(*options.json.command, sha256(read_file(options.request.model, kMostBytes))),
      survey_json(survey));
  write_text(options.json.path, json);
  print_beside(options.json, options.format == "json" ? json : survey_text(survey));
  return kDone;
}

std::variant<Source, CompileError> read_or_fail(const RequestOptions& options) {
  try {
    return read_model(options.model, import_options(options));
  } catch (const CompileError& error) {
    return error;
  }
}

int inspect_model(const InspectOptions& options) {
  const std::variant<Source, CompileError> read = read_or_fail(options.request);
  if (const auto* error = std::get_if<CompileError>(&read))
    return inspect_unsupported(options, *error);
  const Source& source = std::get<Source>(read);
  check_json(options, "inspect");
  std::string json, text;
  {
    const ProgressLine progress("inspecting");
    GraphOptions graph_as = graph_options(options.request);
    graph_as.rewrite = graph_as.rewrite && options.rewritten;
    const Graph graph = prepare(source.graph, graph_as);
    Inspection inspection = inspect(graph);
    inspection.estimate = layer_estimate(graph, target_option(options.request));
    inspection.interpreter = arena_as_given(options.request.model, import_options(options.request));
    inspection.warnings = network_warnings(source.graph);
    for (Warning& warning : port_warnings(graph, inspection))
      inspection.warnings.push_back(std::move(warning));
    inspection.constant_channels = constant_channels(source.graph, graph_as, graph);
    if (!options.json.path.empty() || options.format == "json")
      json = json_with(origin_of(*options.json.command, source.sha256),
                       inspection_json(graph, inspection));
    text = options.format == "csv"    ? inspection_csv(inspection)
           : options.format == "json" ? json
                                      : inspection_text(graph, inspection);
  }
  write_text(options.json.path, json);
  print_beside(options.json, text);
  return kDone;
}

}  // namespace

void add_inspect(CLI::App& app, int& status) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command = app.add_subcommand(
      "inspect",
      "Operators, tensors, quantisation, working set and time per step, bottleneck; of what cannot "
      "be compiled everything that stops it");
  add_model_options(*command, options->request);
  command->add_flag("--rewritten", options->rewritten,
                    "Show the graph as it is planned, not as the file has it");
  add_fields(*command, FieldGroup::kTarget, options->request);
  as_output(command->add_option("--format", options->format, "text, csv or json")
                ->check(CLI::IsMember({"text", "csv", "json"})));
  add_json(*command, options->json);
  add_force(*command, options->force);
  command->footer(
      "Examples:\n  thimble inspect model.tflite\n"
      "  thimble inspect model.tflite --device nucleo-f446re   (instructions on its core)\n"
      "  thimble inspect model.tflite --format csv > "
      "layers.csv");
  command->callback([options, &status] { status = inspect_model(*options); });
}

}  // namespace thimble
