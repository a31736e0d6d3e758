// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <string_view>

#include "thimble/cli/answers.h"
#include "thimble/cli/command_text.h"
#include "thimble/cli/commands.h"
#include "thimble/cli/options.h"
#include "thimble/cli/progress_line.h"
#include "thimble/driver/interpreter_export.h"
#include "thimble/import/file_bytes.h"
#include "thimble/report/interpreter_report.h"

namespace thimble {
namespace {

struct ExportOptions {
  RequestOptions request;
  std::string file;
  InterpreterOptions interpreter;
  ReportFile json;
  bool no_split = false, no_plan = false, force = false;
};

int export_model(ExportOptions& options) {
  check_outputs({{"MODEL", options.request.model}},
                {{{"--tflite", options.file}, FileKind::kTflite},
                 {{"--json", options.json.path}, FileKind::kReport, "export"}},
                options.force);
  options.interpreter.split = !options.no_split;
  options.interpreter.offline_plan = !options.no_plan;
  const ImportOptions import = import_options(options.request);
  const Source source = read_model(options.request.model, import);
  InterpreterReport report{.file = {},
                           .model = options.request.model,
                           .path = options.file,
                           .given = arena_as_given(options.request.model, import)};
  {
    const ProgressLine progress("looking for what to split");
    report.file =
        export_for_interpreter(source, graph_options(options.request), options.interpreter);
  }
  const Bytes& bytes = report.file.bytes;
  const std::string_view piece(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  write_file(options.file, {&piece, 1});
  write_report(options.json, source.sha256, interpreter_json(report));
  print_beside(options.json, interpreter_text(report));
  return kDone;
}

}  // namespace

void add_export(CLI::App& app, int& status) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand(
      "export", "The model as a .tflite that needs less memory in TensorFlow Lite Micro");
  add_model_options(*command, options->request);
  as_output(add_text(*command, "--tflite", options->file, "FILE",
                     "What to write: reordered, split into standard operators, with an offline "
                     "plan of the arena; outputs identical"))
      ->required();
  command
      ->add_option("--max-recompute", options->interpreter.max_recompute,
                   "Most MACs computed again where parts overlap, as a ratio of the network's "
                   "(0.1)")
      ->type_name("RATIO")
      ->check(between(0, 1000));
  command->add_flag("--no-split", options->no_split, "Leave operators whole");
  command->add_flag("--no-offline-plan", options->no_plan,
                    "Leave placement to the interpreter's planner");
  add_json(*command, options->json);
  add_force(*command, options->force);
  command->footer(
      "Examples:\n"
      "  thimble export model.tflite --tflite smaller.tflite\n"
      "  thimble export zoo:tiny_unet --tflite unet.tflite --max-recompute 0.5");
  command->callback([options, &status] { status = export_model(*options); });
}

}  // namespace thimble
