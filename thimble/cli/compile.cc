// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>

#include "thimble/cli/answers.h"
#include "thimble/cli/command_text.h"
#include "thimble/cli/commands.h"
#include "thimble/cli/compile_options.h"
#include "thimble/cli/progress_line.h"
#include "thimble/driver/folder_code.h"
#include "thimble/driver/reports.h"
#include "thimble/driver/run.h"
#include "thimble/driver/weight_formats.h"
#include "thimble/emit/identifier.h"
#include "thimble/output/emitted_folder.h"
#include "thimble/plan/saved_plan.h"

namespace thimble {
namespace {

// Refuses what would be lost, before any work is done.
void check_targets(const CompileOptions& options, const NamedModels& models,
                   const Ecosystem& ecosystem) {
  std::vector<OutputFile> outputs = report_outputs(options.json, "compile");
  outputs.push_back({{"--save-plan", options.save_plan}, FileKind::kPlan});
  if (!options.folder.empty()) {
    outputs.push_back({{"-o", options.folder}, FileKind::kFolder});
    for (const std::string& file : fixed_names(models, ecosystem)) {
      outputs.push_back(
          {{"-o", (std::filesystem::path(options.folder) / file).string()}, FileKind::kFolder});
    }
  }
  check_outputs(input_files(options.request), outputs, options.force);
  if (!options.folder.empty()) check_folder(options.folder, models, ecosystem, options.force);
}

// Everything, or nothing in the folder. Returns what to say of it.
std::string write_files(const CompileOptions& options, const Compiled& compiled,
                        const CompileReport& report, ModelCode code, const Ecosystem& ecosystem) {
  std::string said;
  const auto placed = [&](const char* end) { return ecosystem.placed(code.name + end); };
  std::optional<StagedFolder> folder;  // takes its place when the other files are written
  if (report.fits() && !options.folder.empty()) {
    const ProgressLine progress("writing files");
    said = fmt::format("wrote {}: {}, {} and what they need; {} shows how to call it\n",
                       options.folder, placed(".h"), placed(".cc"), placed("_example.c"));
    std::vector<ModelCode> models;
    models.push_back(std::move(code));
    said += replacements(options.folder, models, ecosystem);
    folder.emplace(options.folder, std::move(models), options.force, ecosystem);
  }
  write_report(options.json, compiled.sha256, report_json(report));
  if (!options.save_plan.empty()) {
    write_text(options.save_plan, to_json(compiled.plan, compiled.origin));
  }
  if (folder) folder->commit();
  if (!report.fits() && !options.folder.empty())
    said = fmt::format("nothing was written to {}\n", options.folder);
  return said;
}

int compile_model(const CompileOptions& options) {
  const Source source = read_model(options.request.model, import_options(options.request));
  const std::string name =
      identifier(options.request.has("name") ? options.request.text("name") : source.graph.name);
  const Ecosystem& ecosystem = ecosystem_of(options);
  check_targets(options, {{name, {source.graph.name, source.sha256}}}, ecosystem);
  Request asked = request(options.request);
  asked.model = source;
  if (options.folder.empty()) asked.emission.reset();
  if (asked.emission) {
    asked.emission->name = name;
    asked.emission->command = emitting_command_text(*options.json.command) + " -o " + name;
  }
  std::optional<Compiled> compiled = compile_shown(asked, options.json);
  if (!compiled) return kDoesNotFit;
  CompileReport report = compile_report(*compiled);
  report.formats = weight_formats(*compiled);
  if (options.explain) report.kernels = kernel_choices(*compiled);
  report.warnings = warnings_of(source.graph, *compiled);
  if (!report.fits() || !options.json.html.empty())
    report.alternatives = alternatives_shown(asked, *compiled, options.json);
  if (options.json.wanted()) report.page = page_figures_shown(asked, *compiled);
  if (options.measure) {
    const ProgressLine progress("cross-compiling and running on the emulated board");
    const std::string& core = asked.target.core.name;
    report.measured = measured_cost(*compiled, core.empty() ? "cortex-m4" : core);
    report.verdict = measured_verdict(report.verdict, *report.measured);
  }
  std::string said = write_files(
      options, *compiled, report,
      {name, asked.emission ? manifest_entry(*compiled, *asked.emission) : Manifest::Model{},
       std::move(compiled->files)},
      ecosystem);
  if (options.save_plan != kStandardOutput) print_beside(options.json, report_text(report) + said);
  return report.fits() ? kDone : kDoesNotFit;
}

// What the code is to be like needs some.
void check_folder_given(const CompileOptions& options) {
  if (!options.folder.empty()) return;
  for (const char* field :
       {"weights_as", "export", "whole_runtime", "trace", "micro_interpreter"}) {
    if (options.request.has(field))
      throw CompileError(request_field(field).option,
                         "is about the code that is written: -o FOLDER says where to");
  }
}

}  // namespace

const Ecosystem& ecosystem_of(const CompileOptions& options) {
  if (!options.request.has("export")) return ecosystems().front();
  return *find_ecosystem(options.request.text("export"));  // CLI11 takes no others
}

void add_compile(CLI::App& app, int& status) {
  auto options = std::make_shared<CompileOptions>();
  CLI::App* command = app.add_subcommand("compile", "Plan, verify, and write firmware sources");
  add_model_options(*command, options->models, options->request);
  add_plan_options(*command, options->request);
  as_output(add_text(*command, "-o,--output-folder", options->folder, "FOLDER",
                     "Folder for the sources"));
  add_fields(*command, FieldGroup::kSources, options->request);
  add_json(*command, options->json);
  add_html(*command, options->json);
  as_output(add_text(*command, "--save-plan", options->save_plan, "FILE",
                     "Write the plan as JSON to a file, for `thimble verify`"));
  as_remark(command->add_flag(
      "--measure", options->measure,
      "Cross-compile for the core (cortex-m4), and run on the emulated board, for code "
      "and stack bytes"));
  as_remark(command->add_flag(
      "--explain", options->explain,
      "List the kernel of each step, what it costs, and what the next best would"));
  add_force(*command, options->force);
  command->footer(
      "Examples:\n"
      "  thimble compile model.tflite --sram 64K -o firmware/model\n"
      "  thimble compile model.tflite --device nucleo-f446re --measure --json report.json\n"
      "  thimble compile model.tflite --device nucleo-f446re --html report.html   (for a browser)\n"
      "  thimble compile model.tflite --input streamed -o firmware/model   (rows of a camera)\n"
      "  thimble compile kws.tflite vww.tflite --device nucleo-f446re -o firmware/models\n"
      "  thimble compile kws.tflite --export arduino -o Arduino/libraries/kws\n"
      "  thimble compile zoo:reordering_figure1 --planner original --no-in-place");
  command->callback([options, &status] {
    check_folder_given(*options);
    options->request.model = options->models.front();
    options->request.fields["sources"] = {""};
    status = options->models.size() == 1 ? compile_model(*options) : compile_models(*options);
  });
}

}  // namespace thimble
