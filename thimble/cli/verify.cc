// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "thimble/cli/commands.h"
#include "thimble/cli/pipeline.h"
#include "thimble/cli/progress_line.h"
#include "thimble/import/file_bytes.h"
#include "thimble/model/error.h"
#include "thimble/report/accumulator_notes.h"
#include "thimble/report/tensor_text.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

constexpr int64_t kMostPlanBytes = int64_t{16} << 20;

SavedPlan load_plan(const std::string& file) {
  const ProgressLine progress("reading the plan");
  const Bytes bytes = read_file(file, kMostPlanBytes);
  return plan_from_json(std::string(bytes.begin(), bytes.end()), file);
}

int verify_plan(const std::string& model, const std::string& file, const std::string& max_bytes) {
  const Source source = load(model);
  const SavedPlan saved = load_plan(file);
  if (saved.origin.sha256 != source.sha256) {
    throw CompileError(
        file, fmt::format("is a plan of another model ('{}', sha256 {}); {} has sha256 {}",
                          display_name(saved.origin.model), display_name(saved.origin.sha256),
                          model, source.sha256));
  }
  const ModelOptions options{.model = model,
                             .rewrite = saved.origin.rewrite,
                             .io_type = saved.origin.int8_io ? "int8" : "model",
                             .max_bytes = max_bytes};
  const Compiled compiled = check_plan(source, options, saved.plan, file);
  if (!compiled.verification.ok()) {
    fmt::print("{}: WRONG: {}\n", file, compiled.verification.fault);
    return kDifference;
  }
  const std::vector<std::string> lossy =
      lossiness_notes(compiled.graph, compiled.plan.scale_source);
  fmt::print("{}: right{}: {} calls, {} elements checked, {} of SRAM\n", file,
             lossy.empty() ? "" : ", with lossy sums", with_separators(compiled.verification.calls),
             with_separators(compiled.verification.checked_elements),
             human_size(compiled.program.arena_bytes()));
  for (const std::string& note : lossy) fmt::print("  {}\n", note);
  return kDone;
}

}  // namespace

void add_verify(CLI::App& app, int& status) {
  struct Options {
    std::string model, plan, max_bytes = ModelOptions().max_bytes;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("verify", "Check a saved plan against its model");
  add_text(*command, "MODEL", options->model, "", "A .tflite file, or zoo:NAME")->required();
  add_text(*command, "PLAN", options->plan, "", "A plan that `compile --save-plan` wrote")
      ->required();
  add_max_bytes(*command, options->max_bytes);
  command->footer(
      "Example:\n"
      "  thimble compile model.tflite --save-plan plan.json\n"
      "  thimble verify model.tflite plan.json");
  command->callback([options, &status] {
    status = verify_plan(options->model, options->plan, options->max_bytes);
  });
}

}  // namespace thimble
