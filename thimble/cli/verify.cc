// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "thimble/cli/answers.h"
#include "thimble/cli/commands.h"
#include "thimble/cli/options.h"
#include "thimble/cli/progress_line.h"
#include "thimble/import/file_bytes.h"
#include "thimble/model/error.h"
#include "thimble/plan/saved_plan.h"
#include "thimble/report/accumulator_notes.h"
#include "thimble/report/answers_json.h"
#include "thimble/report/tensor_text.h"

namespace thimble {
namespace {

constexpr int64_t kMostPlanBytes = int64_t{16} << 20;

struct VerifyOptions {
  ModelOptions model;
  std::string plan, json;
  bool force = false;
};

SavedPlan load_plan(const std::string& file) {
  const ProgressLine progress("reading the plan");
  const Bytes bytes = read_file(file, kMostPlanBytes);
  return plan_from_json(std::string(bytes.begin(), bytes.end()), file);
}

int verify_plan(const VerifyOptions& options) {
  const std::string &model = options.model.model, &file = options.plan;
  check_outputs({{"MODEL", model}, {"PLAN", file}},
                {{{"--json", options.json}, FileKind::kReport, "verify"}}, options.force);
  const Source source = read_model(model);
  const SavedPlan saved = load_plan(file);
  if (saved.origin.sha256 != source.sha256) {
    throw CompileError(
        file, fmt::format("is a plan of another model ('{}', sha256 {}); {} has sha256 {}",
                          display_name(saved.origin.model), display_name(saved.origin.sha256),
                          model, source.sha256));
  }
  GraphOptions graph = graph_options(options.model);
  graph.rewrite = saved.origin.rewrite;
  graph.int8_io = saved.origin.int8_io;
  std::optional<ProgressLine> progress(name(Phase::kVerifying));
  const Compiled compiled = check_plan(source, graph, saved.plan, file);
  progress.reset();
  const VerificationReport report{
      .model = model,
      .plan = file,
      .verification = compiled.verification,
      .arena_bytes = compiled.program.arena_bytes(),
      .lossy = lossiness_notes(compiled.graph, compiled.plan.scale_source)};
  write_text(options.json, verification_json(report));
  print_beside(options.json, verification_text(report));
  return compiled.verification.ok() ? kDone : kDifference;
}

}  // namespace

void add_verify(CLI::App& app, int& status) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = app.add_subcommand("verify", "Check a saved plan against its model");
  add_text(*command, "MODEL", options->model.model, "", "A .tflite file, or zoo:NAME")->required();
  add_text(*command, "PLAN", options->plan, "", "A plan that `compile --save-plan` wrote")
      ->required();
  add_max_bytes(*command, options->model.max_bytes);
  add_json(*command, options->json);
  add_force(*command, options->force);
  command->footer(
      "Example:\n"
      "  thimble compile model.tflite --save-plan plan.json\n"
      "  thimble verify model.tflite plan.json");
  command->callback([options, &status] { status = verify_plan(*options); });
}

}  // namespace thimble
