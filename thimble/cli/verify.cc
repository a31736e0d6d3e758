// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "thimble/cli/answers.h"
#include "thimble/cli/commands.h"
#include "thimble/cli/options.h"
#include "thimble/cli/progress_line.h"
#include "thimble/driver/folder_code.h"
#include "thimble/report/accumulator_notes.h"
#include "thimble/report/answers_json.h"

namespace thimble {
namespace {

struct VerifyOptions {
  RequestOptions request;
  std::string plan;
  ReportFile json;
  bool force = false;
};

/// What is said of a plan, of a file or of a folder.
int answer(const VerifyOptions& options, const Source& source, const Compiled& compiled,
           const std::string& code_fault) {
  VerificationReport report{.model = options.request.model,
                            .plan = options.plan,
                            .rewrites = {},
                            .verification = compiled.verification,
                            .arena_bytes = compiled.program.arena_bytes(),
                            .lossy = lossiness_notes(compiled.graph, compiled.plan.scale_source)};
  report.rewrites = certification(
      source.graph, options_of(compiled.origin, graph_options(options.request).max_bytes));
  if (report.verification.ok()) report.verification.fault = code_fault;
  write_report(options.json, source.sha256, verification_json(report));
  print_beside(options.json, verification_text(report));
  return report.verification.ok() ? kDone : kDifference;
}

int verify_folder(const VerifyOptions& options) {
  const Source source = read_model(options.request.model, import_options(options.request));
  std::optional<ProgressLine> progress("verifying the plan and the code of it");
  const FolderCode code =
      check_folder_code(source, options.plan, graph_options(options.request).max_bytes);
  progress.reset();
  const int status = answer(options, source, code.compiled, code.fault);
  if (status == kDone) {
    print_beside(
        options.json,
        fmt::format("  the code of '{}' is what this plan gives, byte for byte\n", code.name));
  }
  return status;
}

int verify_plan(const VerifyOptions& options) {
  const std::string &model = options.request.model, &file = options.plan;
  check_outputs({{"MODEL", model}, {"PLAN", file}},
                {{{"--json", options.json.path}, FileKind::kReport, "verify"}}, options.force);
  if (std::filesystem::is_directory(file)) return verify_folder(options);
  const Source source = read_model(model, import_options(options.request));
  std::optional<ProgressLine> progress("reading the plan");
  const SavedPlan saved = read_plan(file);
  progress.emplace(name(Phase::kVerifying));
  const Compiled compiled =
      check_saved_plan(source, saved, graph_options(options.request).max_bytes, file);
  progress.reset();
  return answer(options, source, compiled, "");
}

}  // namespace

void add_verify(CLI::App& app, int& status) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = app.add_subcommand(
      "verify", "Check a saved plan, or the code in a folder, against its model");
  add_text(*command, "MODEL", options->request.model, "", "A .tflite or .onnx file, or zoo:NAME")
      ->required();
  add_text(*command, "PLAN", options->plan, "",
           "A plan that `compile --save-plan` wrote, or a folder that `compile -o` wrote")
      ->required();
  add_fields(*command, FieldGroup::kImport, options->request);
  add_field(*command, request_field("max_bytes"), options->request);
  add_json(*command, options->json);
  add_force(*command, options->force);
  command->footer(
      "Examples:\n"
      "  thimble compile model.tflite --save-plan plan.json\n"
      "  thimble verify model.tflite plan.json\n"
      "  thimble compile model.tflite -o firmware/model\n"
      "  thimble verify model.tflite firmware/model   (its plan, and every file that follows from "
      "it)");
  command->callback([options, &status] { status = verify_plan(*options); });
}

}  // namespace thimble
