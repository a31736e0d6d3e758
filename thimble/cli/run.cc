// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/run.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "thimble/cli/answers.h"
#include "thimble/cli/command_text.h"
#include "thimble/cli/commands.h"
#include "thimble/cli/options.h"
#include "thimble/cli/progress_line.h"
#include "thimble/driver/board_storage.h"
#include "thimble/driver/reports.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

struct RunOptions {
  RequestOptions request;
  std::string on = "host", board_storage = "ram", input_file, output_file, check;
  ReportFile json;
  uint64_t seed = 1;
  bool force = false;
};

std::vector<InputCase> cases_of(const Graph& graph, const RunOptions& options) {
  const ProgressLine progress("reading inputs");
  if (!options.check.empty()) {
    if (!options.input_file.empty())
      throw CompileError("--input-file",
                         "the inputs of --check come from the golden file; leave one out");
    return golden_cases(graph, options.check);
  }
  if (!options.input_file.empty()) return file_cases(graph, options.input_file);
  return {seeded_case(graph, options.seed)};
}

// An option without effect would make its user believe something of the run that is not so.
void check_options(const RunOptions& options) {
  if (options.board_storage != "ram" && (options.on != "qemu" || !options.request.has("storage")))
    throw CompileError("--board-storage", "is for --on qemu with a --storage");
  if (options.on != "reference") return;
  for (const char* name : {"planner", "calibration", "device", "core", "sram", "flash", "pick",
                           "max_latency", "input", "output", "storage"}) {
    const RequestField& field = request_field(name);
    const bool usual =
        field.form == FieldForm::kPlace && options.request.text(name) == field.words[0];
    if (options.request.has(name) && !usual)
      throw CompileError(field.option, "is for --on host or qemu; the reference has no plan");
  }
}

// Refuses what would be lost, before any work is done.
void check_target(const RunOptions& options) {
  std::vector<NamedFile> inputs = input_files(options.request);
  inputs.push_back({"--input-file", options.input_file});
  inputs.push_back({"--check", options.check});
  const bool npy = options.output_file.ends_with(".npy");
  check_outputs(
      inputs,
      {{{"--output-file", options.output_file}, npy ? FileKind::kNpy : FileKind::kSafetensors},
       {{"--json", options.json.path}, FileKind::kReport, "run"}},
      options.force);
}

int finish(const RunOptions& options, const std::string& sha256, RunReport report) {
  if (!options.check.empty() && report.compared_with.empty())
    report.compared_with = std::filesystem::path(options.check).filename().string();
  if (!options.output_file.empty())
    write_outputs(report.graph, report.inferences.outputs.back(), options.output_file);
  write_report(options.json, sha256, run_json(report));
  print_beside(options.json, run_text(report));
  if (!report.inferences.difference.empty()) return kDifference;
  if (options.on == "reference" && !options.check.empty() && report.inferences.compared_ops == 0)
    throw CompileError(options.check, "has no operators to compare with (op.N.J)");
  return kDone;
}

int run_on_reference(const RunOptions& options, const Source& source) {
  GraphOptions as_imported = graph_options(options.request);
  as_imported.rewrite = false;
  const Graph graph = prepare(source.graph, as_imported);
  const std::vector<InputCase> cases = cases_of(graph, options);
  std::optional<ProgressLine> progress("interpreting");
  const Inferences inferences = run_reference(graph, cases);
  progress.reset();
  return finish(
      options, source.sha256,
      {.graph = graph, .inferences = inferences, .model = source.where, .on = options.on});
}

int run(const RunOptions& options) {
  check_options(options);
  check_target(options);
  const Source source = read_model(options.request.model, import_options(options.request));
  if (!options.output_file.empty()) check_output_name(source.graph, options.output_file);
  if (options.on == "reference") return run_on_reference(options, source);
  Request asked = request(options.request);
  asked.model = source;
  if (options.on == "qemu" && asked.target.core.name.empty())
    asked.target.core = core_named("cortex-m4");
  const auto compiled = compile_shown(asked, options.json);
  if (!compiled) return kDoesNotFit;
  if (!compiled->fits()) {
    print_no(
        options.json, source.sha256,
        {.model = source.where, .planner = compiled->plan.planner, .reason = shortage(*compiled)});
    return kDoesNotFit;
  }
  const std::vector<InputCase> cases = cases_of(compiled->graph, options);
  const bool host = options.on == "host";
  std::optional<ProgressLine> progress(host ? "executing"
                                            : "cross-compiling and running on the emulated board");
  const Inferences inferences = host ? run_host(*compiled, cases)
                                     : run_emulated(*compiled, asked.target.core.name, cases,
                                                    storage_driver_named(options.board_storage));
  progress.reset();
  return finish(
      options, source.sha256,
      {.graph = compiled->graph,
       .inferences = inferences,
       .model = source.where,
       .on = options.on,
       .planner = compiled->plan.planner,
       .arena_bytes = compiled->program.arena_bytes(),
       .estimate = estimate_of(*compiled),
       .compared_with =
           inferences.deviations.empty() ? "" : "the reference with the same accumulators"});
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand(
      "run", "Run an inference: reference, host, or firmware on an emulated board");
  add_model_options(*command, options->request);
  add_plan_options(*command, options->request);
  command
      ->add_option("--on", options->on,
                   "reference: the plain interpreter; host (default): the plan with the "
                   "shipping kernels;\nqemu: the emitted firmware on an emulated board")
      ->check(CLI::IsMember({"reference", "host", "qemu"}));
  command
      ->add_option("--board-storage", options->board_storage,
                   "What the emulated board stores in: ram (default), a stand-in for any storage;\n"
                   "flash: its own (cortex-m0); serial: this process, by its UART (cortex-m3, -m4, "
                   "-m7);\ncard: an SD card (cortex-m3)")
      ->check(CLI::IsMember(storage_driver_words()));
  add_text(*command, "--input-file", options->input_file, "FILE",
           "Inputs: .npy or .safetensors (default: seeded noise); of a network with variables,\n"
           "several inferences in turn along a leading axis: the outputs are the last one's");
  command->add_option("--seed", options->seed, "Seed of the noise (1)")->type_name("NUMBER");
  as_output(add_text(*command, "--output-file", options->output_file, "FILE",
                     "Write the outputs to .npy or .safetensors"));
  add_text(*command, "--check", options->check, "FILE",
           "Golden .safetensors: take its inputs, compare outputs (on reference: every operator)");
  add_json(*command, options->json);
  add_force(*command, options->force);
  command->footer(
      "Examples:\n  thimble run model.tflite --on reference --check model.golden.safetensors\n"
      "  thimble run model.tflite --on host --input-file photo.npy --output-file scores.npy\n"
      "  thimble run model.tflite --on qemu --input streamed --input-file photo.npy\n"
      "  thimble run zoo:demo --on qemu --core cortex-m4");
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace thimble
