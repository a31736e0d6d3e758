// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/run.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "thimble/cli/answers.h"
#include "thimble/cli/command_text.h"
#include "thimble/cli/commands.h"
#include "thimble/cli/input_options.h"
#include "thimble/cli/options.h"
#include "thimble/cli/progress_line.h"
#include "thimble/driver/board_storage.h"
#include "thimble/driver/class_labels.h"
#include "thimble/driver/predictions.h"
#include "thimble/driver/reports.h"
#include "thimble/driver/samples.h"
#include "thimble/inputs/draw.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

struct RunOptions {
  RequestOptions request;
  InputOptions inputs;
  std::string on = "host", board_storage = "ram", input_file, output_file, check, draw;
  ReportFile json;
  uint64_t seed = 1;
  double least_score = 0.5;  ///< of boxes
  bool force = false;
};

/// What is executed, and what was done with a file for it.
struct RunInputs {
  std::vector<InputCase> cases;
  std::string how;
  std::vector<std::string> warnings;
};

RunInputs samples_of(const Graph& graph, const ModelMetadata& metadata, const RunOptions& options) {
  const std::string& file = options.input_file;
  // Golden data give the first inputs.
  if (file.ends_with(".safetensors") || file.ends_with(".npz") || file.ends_with(".pb") ||
      std::filesystem::is_directory(file)) {
    if (const std::string option = given_option(options.inputs); !option.empty())
      throw CompileError(option, fmt::format("is not for {}, which is taken as it is", file));
    return {file_cases(graph, file), file, {}};
  }
  const SampleReader reader(graph, metadata, preprocessing(options.inputs));
  const std::vector<Sample> samples = reader.read(file);
  if (samples.empty() || (samples.size() > 1 && graph.states.empty())) {
    throw CompileError(file, fmt::format("has {} inputs, one is executed; `thimble eval` takes all",
                                         samples.size()));
  }
  return {.cases = cases_of(graph, samples, file),
          .how = samples[0].how.empty() ? file : fmt::format("{} {}", file, samples[0].how),
          .warnings = samples[0].warnings};
}

RunInputs inputs_of(const Graph& graph, const ModelMetadata& metadata, const RunOptions& options) {
  const ProgressLine progress("reading inputs");
  if (!options.check.empty()) {
    if (!options.input_file.empty())
      throw CompileError("--input-file",
                         "the inputs of --check come from the golden file; leave one out");
    return {golden_cases(graph, options.check), {}, {}};
  }
  if (!options.input_file.empty()) return samples_of(graph, metadata, options);
  return {{seeded_case(graph, options.seed)}, {}, {}};
}

constexpr size_t kShownClasses = 5;

/// What the last inference's outputs say, if they are of a file: noise is nothing.
void add_predictions(RunReport& report, const Source& source, const ClassLabels& asked,
                     const RunOptions& options) {
  if (report.input.empty()) return;
  const std::vector<Bytes>& outputs = report.inferences.outputs.back();
  const std::vector<std::string> labels = class_labels(report.graph, asked, source.metadata);
  if (labels.empty()) {
    report.warnings.insert(report.warnings.end(), source.metadata.faults.begin(),
                           source.metadata.faults.end());
  }
  report.classes = best_classes(class_scores(report.graph, outputs), labels, kShownClasses);
  std::vector<ClassScore> best;
  for (const std::vector<Bytes>& each : report.inferences.outputs) {
    for (ClassScore& of : best_classes(class_scores(report.graph, each), labels, 1))
      best.push_back(std::move(of));
  }
  report.decisions = class_runs(best);
  const InputPort port = input_port(report.graph, 0, {});
  if (!port.window.empty()) {
    const int64_t rows = elements(port.shape);
    report.whole_from = (elements(port.window) + rows - 1) / rows - 1;
  }
  if (const auto which = detector_outputs(source.graph))
    report.detections = detections_in(report.graph, *which, outputs, labels,
                                      static_cast<float>(options.least_score));
}

void draw_detections(const RunReport& report, const RunOptions& options) {
  Image image = as_rgb(read_image(options.input_file));
  const auto form =
      picture_form(input_port(report.graph, 0, {}), preprocessing(options.inputs).axes);
  check(form.has_value(), "a picture became an input that takes none");
  const SeenPart part =
      seen_part(image, form->columns, form->rows, preprocessing(options.inputs).fit);
  for (const Detection& d : *report.detections) {
    draw_box(image, {.left = part.left + double{d.xmin} * part.width,
                     .top = part.top + double{d.ymin} * part.height,
                     .right = part.left + double{d.xmax} * part.width,
                     .bottom = part.top + double{d.ymax} * part.height,
                     .caption = fmt::format("{} {:.2f}", class_name(d.object), d.object.score),
                     .colour = static_cast<size_t>(d.object.number)});
  }
  write_png(options.draw, image);
}

// An option without effect would make its user believe something of the run that is not so.
void check_options(const RunOptions& options) {
  if (const std::string option = given_option(options.inputs);
      !option.empty() && options.input_file.empty())
    throw CompileError(option, "is for --input-file");
  if (!options.draw.empty() && !is_image_name(options.input_file))
    throw CompileError("--draw", "draws on the picture of --input-file (.png, .jpg, .bmp)");
  if (options.board_storage != "ram" && (options.on != "qemu" || !options.request.has("storage")))
    throw CompileError("--board-storage", "is for --on qemu with a --storage");
  if (options.on == "reference") refuse_plan_options(options.request);
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
       {{"--draw", options.draw}, FileKind::kPng},
       {{"--json", options.json.path}, FileKind::kReport, "run"}},
      options.force);
}

// Before an inference that may take long.
void check_draw(const RunOptions& options, const Source& source) {
  if (options.draw.empty() || detector_outputs(source.graph)) return;
  throw CompileError("--draw", fmt::format("{} has no boxes that are known: those of "
                                           "TFLite_Detection_PostProcess are supported",
                                           source.where));
}

int finish(const RunOptions& options, const Source& source, const ClassLabels& labels,
           RunReport report) {
  add_predictions(report, source, labels, options);
  if (!options.check.empty() && report.compared_with.empty())
    report.compared_with = std::filesystem::path(options.check).filename().string();
  if (!options.output_file.empty())
    write_outputs(report.graph, report.inferences.outputs.back(), options.output_file);
  if (!options.draw.empty()) draw_detections(report, options);
  write_report(options.json, source.sha256, run_json(report));
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
  const RunInputs inputs = inputs_of(graph, source.metadata, options);
  const ClassLabels labels = request(options.request).labels;
  (void)class_labels(graph, labels, source.metadata);  // refuses another number of them
  std::optional<ProgressLine> progress("interpreting");
  const Inferences inferences = run_reference(graph, inputs.cases);
  progress.reset();
  return finish(options, source, labels,
                {.graph = graph,
                 .inferences = inferences,
                 .model = source.where,
                 .on = options.on,
                 .input = inputs.how,
                 .warnings = inputs.warnings});
}

int run(const RunOptions& options) {
  check_options(options);
  check_target(options);
  const Source source = read_model(options.request.model, import_options(options.request));
  if (!options.output_file.empty()) check_output_name(source.graph, options.output_file);
  check_draw(options, source);
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
  const RunInputs inputs = inputs_of(compiled->graph, source.metadata, options);
  const std::vector<InputCase>& cases = inputs.cases;
  const bool host = options.on == "host";
  std::optional<ProgressLine> progress(host ? "executing"
                                            : "cross-compiling and running on the emulated board");
  const Inferences inferences = host ? run_host(*compiled, cases)
                                     : run_emulated(*compiled, asked.target.core.name, cases,
                                                    storage_driver_named(options.board_storage));
  progress.reset();
  return finish(
      options, source, asked.labels,
      {.graph = compiled->graph,
       .inferences = inferences,
       .model = source.where,
       .on = options.on,
       .planner = compiled->plan.planner,
       .arena_bytes = compiled->program.arena_bytes(),
       .estimate = estimate_of(*compiled),
       .compared_with =
           inferences.deviations.empty() ? "" : "the reference with the same accumulators",
       .input = inputs.how,
       .warnings = inputs.warnings});
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
           "Inputs: a picture (.png, .jpg, .bmp), sound (.wav), numbers (.csv), .npy, "
           ".npz,\n.safetensors, or ONNX's test data (.pb, a folder of these) (default: seeded "
           "noise); of a network with variables, several inferences "
           "in turn along a\nleading axis: the outputs are the last one's");
  add_input_options(*command, options->inputs);
  add_field(*command, request_field("labels"), options->request);
  as_output(add_text(*command, "--draw", options->draw, "FILE",
                     "Write the picture with the boxes of a detector, as PNG"));
  command->add_option("--least-score", options->least_score, "Of boxes that are shown (0.5)")
      ->type_name("NUMBER")
      ->check(between(0, 1));
  command->add_option("--seed", options->seed, "Seed of the noise (1)")->type_name("NUMBER");
  as_output(add_text(*command, "--output-file", options->output_file, "FILE",
                     "Write the outputs to .npy or .safetensors"));
  add_text(*command, "--check", options->check, "FILE",
           "Golden .safetensors, .npz, or a folder of ONNX's test data: take its inputs, compare\n"
           "outputs (on reference: every operator)");
  add_json(*command, options->json);
  add_force(*command, options->force);
  command->footer(
      "Examples:\n  thimble run model.tflite --on reference --check model.golden.safetensors\n"
      "  thimble run model.tflite --input-file photo.jpg --labels labels.txt\n"
      "  thimble run model.tflite --on host --input-file photo.npy --output-file scores.npy\n"
      "  thimble run model.tflite --on qemu --input streamed --input-file photo.npy\n"
      "  thimble run zoo:demo --on qemu --core cortex-m4");
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace thimble
