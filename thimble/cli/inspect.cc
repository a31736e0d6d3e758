// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/inspect.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>

#include "thimble/cli/commands.h"
#include "thimble/cli/pipeline.h"
#include "thimble/cli/progress_line.h"

namespace thimble {

void add_inspect(CLI::App& app, int& status) {
  struct Options {
    ModelOptions model;
    std::string format = "text";
    bool rewritten = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "inspect", "Operators, tensors, quantisation, working set per step, bottleneck");
  add_model_options(*command, options->model);
  command->add_flag("--rewritten", options->rewritten,
                    "Show the graph as it is planned, not as the file has it");
  command->add_option("--format", options->format, "text, csv or json")
      ->check(CLI::IsMember({"text", "csv", "json"}));
  command->footer(
      "Examples:\n  thimble inspect model.tflite\n  thimble inspect model.tflite --format csv > "
      "layers.csv");
  command->callback([options, &status] {
    const Source source = load(options->model.model);
    ModelOptions model = options->model;
    model.rewrite = model.rewrite && options->rewritten;
    std::optional<ProgressLine> progress("inspecting");
    const Graph graph = prepare(source, model);
    const Inspection inspection = inspect(graph);
    progress.reset();
    if (options->format == "csv") fmt::print("{}", inspection_csv(inspection));
    if (options->format == "json") fmt::print("{}", inspection_json(graph, inspection));
    if (options->format == "text") fmt::print("{}", inspection_text(graph, inspection));
    status = kDone;
  });
}

}  // namespace thimble
