// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "thimble/cli/answers.h"
#include "thimble/cli/commands.h"
#include "thimble/cli/options.h"
#include "thimble/cli/progress_line.h"
#include "thimble/output/manifest.h"
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

/// The code that a folder has for a model, by the hashes of its manifest: Thimble writes only what
/// is verified.
int verify_folder(const VerifyOptions& options) {
  const std::string &model = options.request.model, &folder = options.plan;
  const Source source = read_model(model, import_options(options.request));
  const std::optional<Manifest> manifest = read_manifest(folder);
  if (!manifest || manifest->models.empty()) {
    throw CompileError(folder, fmt::format("has no {} of Thimble's: verify takes a folder that "
                                           "`compile -o` wrote, or a plan of `compile --save-plan`",
                                           kManifestName));
  }
  for (const auto& [name, from] : manifest->models) {
    if (from.sha256 != source.sha256) continue;
    const std::string fault = changes(folder, *manifest, name);
    const VerificationReport report{
        .model = model, .plan = folder, .verification = {.fault = fault}, .lossy = {}};
    write_report(options.json, source.sha256, verification_json(report));
    print_beside(
        options.json,
        fault.empty()
            ? fmt::format("{}: right: the code of '{}' is as it was verified and written\n", folder,
                          name)
            : verification_text(report));
    return fault.empty() ? kDone : kDifference;
  }
  throw CompileError(folder, fmt::format("has no code of {} (sha256 {}; code of a part needs the "
                                         "--until and --shape that it was made with)",
                                         model, source.sha256));
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
  const int64_t max_bytes = graph_options(options.request).max_bytes;
  const Compiled compiled = check_saved_plan(source, saved, max_bytes, file);
  progress.reset();
  const VerificationReport report{
      .model = model,
      .plan = file,
      .rewrites = certification(source.graph, options_of(saved.origin, max_bytes)),
      .verification = compiled.verification,
      .arena_bytes = compiled.program.arena_bytes(),
      .lossy = lossiness_notes(compiled.graph, compiled.plan.scale_source)};
  write_report(options.json, source.sha256, verification_json(report));
  print_beside(options.json, verification_text(report));
  return compiled.verification.ok() ? kDone : kDifference;
}

}  // namespace

void add_verify(CLI::App& app, int& status) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = app.add_subcommand("verify", "Check a saved plan against its model");
  add_text(*command, "MODEL", options->request.model, "", "A .tflite file, or zoo:NAME")
      ->required();
  add_text(*command, "PLAN", options->plan, "",
           "A plan that `compile --save-plan` wrote, or a folder that `compile -o` wrote")
      ->required();
  add_fields(*command, FieldGroup::kImport, options->request);
  add_field(*command, request_field("max_bytes"), options->request);
  add_json(*command, options->json);
  add_force(*command, options->force);
  command->footer(
      "Example:\n"
      "  thimble compile model.tflite --save-plan plan.json\n"
      "  thimble verify model.tflite plan.json");
  command->callback([options, &status] { status = verify_plan(*options); });
}

}  // namespace thimble
