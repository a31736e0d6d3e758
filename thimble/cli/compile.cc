// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>

#include "thimble/cli/commands.h"
#include "thimble/cli/emission.h"
#include "thimble/cli/emitted_folder.h"
#include "thimble/cli/manifest.h"
#include "thimble/cli/measure.h"
#include "thimble/cli/output_files.h"
#include "thimble/cli/pipeline.h"
#include "thimble/cli/progress_line.h"
#include "thimble/import/file_bytes.h"
#include "thimble/import/tensor_file.h"
#include "thimble/report/compile_report.h"
#include "thimble/toolchain/board.h"

namespace thimble {
namespace {

struct CompileOptions {
  ModelOptions model;
  PlanOptions plan;
  std::string folder, name, json, save_plan, core = "cortex-m4";
  bool measure = false, force = false;
};

void write_text(const std::string& file, const std::string& text) {
  const std::array<std::string_view, 1> pieces{text};
  write_file(file, pieces);
}

// The command as typed, without the folders that would make the emitted bytes depend on the
// machine.
std::string command_text(const CompileOptions& options, const std::string& name) {
  std::string text =
      "thimble compile " + std::filesystem::path(options.model.model).filename().string();
  if (!options.plan.planner.empty()) text += " --planner " + options.plan.planner;
  if (!options.plan.calibration.empty()) {
    text += " --calibration " + std::filesystem::path(options.plan.calibration).filename().string();
  }
  if (!options.plan.device.empty()) text += " --device " + options.plan.device;
  if (!options.plan.sram.empty()) text += " --sram " + options.plan.sram;
  if (!options.plan.flash.empty()) text += " --flash " + options.plan.flash;
  if (options.plan.max_recompute)
    text += fmt::format(" --max-recompute {}", *options.plan.max_recompute);
  if (!options.plan.in_place) text += " --no-in-place";
  if (!options.model.rewrite) text += " --no-rewrite";
  if (options.model.io_type != "model") text += " --io-type " + options.model.io_type;
  if (options.plan.ports.input != Place::kResident)
    text += fmt::format(" --input {}", thimble::name(options.plan.ports.input));
  if (options.plan.ports.output != Place::kResident)
    text += fmt::format(" --output {}", thimble::name(options.plan.ports.output));
  if (options.plan.layout != "exact") text += " --layout " + options.plan.layout;
  return text + " -o " + name;
}

// Refuses what would be lost, before any work is done.
void check_targets(const CompileOptions& options, const Source& source, const std::string& name) {
  std::vector<OutputFile> outputs = {{{"--json", options.json}, FileKind::kReport},
                                     {{"--save-plan", options.save_plan}, FileKind::kPlan}};
  if (!options.folder.empty()) {
    outputs.push_back({{"-o", options.folder}, FileKind::kFolder});
    for (const std::string& file : fixed_names(name)) {
      outputs.push_back(
          {{"-o", (std::filesystem::path(options.folder) / file).string()}, FileKind::kFolder});
    }
  }
  check_outputs(input_files(options.model, options.plan), outputs, options.force);
  if (!options.folder.empty())
    check_folder(options.folder, name, {source.graph.name, source.sha256}, options.force);
}

// Stack where the core can be emulated; code for any core that the compiler knows.
MeasuredCost measured_cost(const Compiled& compiled, const std::vector<EmittedFile>& files,
                           const std::string& name, const std::string& core) {
  const ProgressLine progress("cross-compiling for " + core);
  const std::vector<FirmwareModel> models = {{name, files, &compiled.program}};
  Measured result;
  if (boards_of(core).empty()) {
    result.size = measure_sizes(models, core);
  } else {
    std::vector<Bytes> inputs;
    for (size_t k = 0; k < compiled.program.inputs.size(); ++k) {
      const Tensor& t = compiled.graph.tensor(compiled.program.inputs[k].tensor);
      inputs.push_back(random_bytes(t.type, elements(t.shape), 1 + k));
    }
    result = measure(models, core, {{inputs}});
  }
  MeasuredCost cost{.code_bytes = result.size.code_bytes,
                    .weight_bytes = result.size.weight_bytes,
                    .stack_bytes = {},
                    .static_ram_bytes = result.size.static_ram_bytes,
                    .core = core};
  if (!result.sets.empty()) cost.stack_bytes = result.sets[0][0].stack_bytes;
  return cost;
}

CompileReport report_of(const Compiled& compiled, const Source& source, const Budget& limits) {
  return {.graph = compiled.graph,
          .plan = compiled.plan,
          .program = compiled.program,
          .model = source.where,
          .device = limits.device,
          .sram_limit_bytes = limits.sram_bytes,
          .flash_limit_bytes = limits.flash_bytes,
          .live_bytes = compiled.live_bytes,
          .notes = compiled.planned.notes,
          .macs = compiled.macs,
          .recomputed_macs = compiled.recomputed_macs,
          .weight_bytes = compiled.weight_bytes,
          .verified = compiled.verification.ok(),
          .measured = {},
          .estimate = {}};
}

// Files of one name may be different models: whoever replaces one by the other should know.
std::string replaced_model(const std::string& folder, const std::string& name,
                           const Source& source) {
  const Manifest manifest = read_manifest(folder).value_or(Manifest{});
  const auto before = manifest.models.find(name);
  if (before == manifest.models.end() || before->second.sha256 == source.sha256) return "";
  return fmt::format("replaced the code of another {} (sha256 {})\n", before->second.model,
                     before->second.sha256.substr(0, 12));
}

// Everything, or nothing in the folder. Returns what to say of it.
std::string write_files(const CompileOptions& options, const Compiled& compiled,
                        const Source& source, const CompileReport& report, ModelCode code) {
  std::string said;
  const std::string name = code.name;
  std::optional<StagedFolder> folder;  // takes its place when the other files are written
  if (report.fits() && !options.folder.empty()) {
    const ProgressLine progress("writing files");
    said = fmt::format(
        "wrote {0}: {1}.h, {1}.cc and what they need; {1}_example.c shows how to call it\n",
        options.folder, name);
    said += replaced_model(options.folder, name, source);
    folder.emplace(options.folder, code, options.force);
  }
  if (!options.json.empty()) write_text(options.json, report_json(report));
  if (!options.save_plan.empty()) {
    write_text(options.save_plan,
               to_json(compiled.plan, {.model = source.graph.name,
                                       .sha256 = source.sha256,
                                       .rewrite = options.model.rewrite,
                                       .int8_io = options.model.io_type == "int8"}));
  }
  if (folder) folder->commit();
  if (!report.fits() && !options.folder.empty())
    said = fmt::format("nothing was written to {}\n", options.folder);
  return said;
}

int compile(const CompileOptions& options) {
  const Source source = load(options.model.model);
  const std::string name = identifier(options.name.empty() ? source.graph.name : options.name);
  check_targets(options, source, name);
  const Budget limits = budget(options.plan);
  auto answer = compile_model(source, options.model, options.plan);
  if (const auto* no = std::get_if<Infeasible>(&answer)) {
    fmt::print("{}", infeasible_text(*no));
    return kDoesNotFit;
  }
  const Compiled& compiled = std::get<Compiled>(answer);
  CompileReport report = report_of(compiled, source, limits);
  report.estimate = estimate_on(compiled.program, limits.device, options.core);
  std::vector<EmittedFile> files;
  if (options.measure || !options.folder.empty()) {
    const ProgressLine progress("writing code");
    files = emit_compiled(compiled, source, name, command_text(options, name));
  }
  if (options.measure) {
    const std::string core = limits.device ? limits.device->core.name : options.core;
    report.measured = measured_cost(compiled, files, name, core);
  }
  const std::string said =
      write_files(options, compiled, source, report,
                  {name, {source.graph.name, source.sha256}, std::move(files)});
  if (options.json != "/dev/stdout" && options.save_plan != "/dev/stdout")
    fmt::print("{}{}", report_text(report), said);
  return report.fits() ? kDone : kDoesNotFit;
}

}  // namespace

void add_compile(CLI::App& app, int& status) {
  auto options = std::make_shared<CompileOptions>();
  CLI::App* command = app.add_subcommand("compile", "Plan, verify, and write firmware sources");
  add_model_options(*command, options->model);
  add_plan_options(*command, options->plan);
  add_text(*command, "-o,--output-folder", options->folder, "FOLDER", "Folder for the sources");
  add_text(*command, "--name", options->name, "NAME",
           "Name of files and functions (default: the model's)");
  add_text(*command, "--json", options->json, "FILE", "Write the report as JSON to a file");
  add_text(*command, "--save-plan", options->save_plan, "FILE",
           "Write the plan as JSON to a file, for `thimble verify`");
  command->add_flag("--measure", options->measure,
                    "Cross-compile for code bytes, and run on an emulated board for stack bytes");
  add_text(*command, "--core", options->core, "CORE",
           "Core to measure and to estimate for, unless --device says it (cortex-m4)");
  add_force(*command, options->force);
  command->footer(
      "Examples:\n"
      "  thimble compile model.tflite --sram 64K -o firmware/model\n"
      "  thimble compile model.tflite --device nucleo-f446re --measure --json report.json\n"
      "  thimble compile model.tflite --input streamed -o firmware/model   (rows of a camera)\n"
      "  thimble compile zoo:reordering_figure1 --planner original --no-in-place");
  command->callback([options, &status] { status = compile(*options); });
}

}  // namespace thimble
