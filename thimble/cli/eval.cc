// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "thimble/cli/answers.h"
#include "thimble/cli/command_text.h"
#include "thimble/cli/commands.h"
#include "thimble/cli/input_options.h"
#include "thimble/cli/options.h"
#include "thimble/cli/progress_line.h"
#include "thimble/driver/class_labels.h"
#include "thimble/driver/evaluation.h"
#include "thimble/driver/reports.h"
#include "thimble/driver/run.h"
#include "thimble/model/error.h"
#include "thimble/program/host.h"
#include "thimble/search/parallel.h"

namespace thimble {
namespace {

struct EvalOptions {
  RequestOptions request;
  InputOptions inputs;
  std::string set, on = "host", truth, task = "auto", positive;
  int64_t limit = 0;
  double threshold = 0.5;
  ReportFile json;
  bool force = false;
};

constexpr int64_t kEmulatedSamples = 16;  ///< without --limit: each takes seconds

std::optional<EvaluationTask> task_named(const std::string& word) {
  for (const EvaluationTask task : {EvaluationTask::kClasses, EvaluationTask::kScore,
                                    EvaluationTask::kAnomaly, EvaluationTask::kValues})
    if (word == name(task)) return task;
  return std::nullopt;
}

/// What was compiled, or the graph of the reference.
struct Executed {
  Source source;
  std::optional<Compiled> compiled;
  Graph imported;

  [[nodiscard]] const Graph& graph() const { return compiled ? compiled->graph : imported; }
};

std::vector<InputCase> cases_in_turn(const std::vector<InTurn>& samples) {
  std::vector<InputCase> cases;
  for (const InTurn& sample : samples) {
    for (size_t n = 0; n < sample.size(); ++n) {
      cases.push_back(
          {.name = "", .inputs = sample[n], .outputs = {}, .ops = {}, .goes_on = n > 0});
    }
  }
  return cases;
}

std::vector<InTurn> outputs_in_turn(const std::vector<InTurn>& samples, const Inferences& all) {
  std::vector<InTurn> result;
  size_t next = 0;
  for (const InTurn& sample : samples) {
    result.emplace_back();
    for (size_t n = 0; n < sample.size(); ++n) result.back().push_back(all.outputs[next++]);
  }
  return result;
}

Evaluation evaluated(const EvalOptions& options, const Executed& model, const Request& asked) {
  const SampleReader reader(model.graph(), model.source.metadata, preprocessing(options.inputs));
  std::optional<MeasuredCost> board;
  ProgressLine progress("reading samples");
  const bool emulated = options.on == "qemu";
  EvaluationRequest request{
      .graph = model.graph(),
      .reader = reader,
      .set = labelled_set(options.set, options.truth),
      .set_name = options.set,
      .labels = class_labels(model.graph(), asked.labels, model.source.metadata),
      .task = task_named(options.task),
      .positive = options.positive,
      .threshold = options.threshold,
      .limit = options.limit,
      .jobs = asked.jobs == 0 ? all_cores() : asked.jobs,
      .chunk = 1,
      .execute = {}};
  if (emulated) {
    if (request.limit == 0) request.limit = kEmulatedSamples;
    request.chunk = static_cast<size_t>(request.limit);
    request.jobs = 1;
  }
  request.execute = [&](const std::vector<InTurn>& samples) {
    if (options.on == "reference")
      return outputs_in_turn(samples, run_reference(model.imported, cases_in_turn(samples)));
    if (emulated) {
      const Inferences all =
          run_emulated(*model.compiled, asked.target.core.name, cases_in_turn(samples));
      if (!all.difference.empty()) throw InternalError(all.difference);
      board = all.board;
      return outputs_in_turn(samples, all);
    }
    std::vector<InTurn> outputs;
    for (const InTurn& sample : samples)
      outputs.push_back(execute_in_turn(model.compiled->program, sample));
    return outputs;
  };
  request.progress = [&](size_t done, size_t of) {
    progress.show(fmt::format("evaluating, {} of {}", done, of));
  };
  Evaluation result = evaluation_of(request);
  if (board) result.instructions = board->instructions;
  return result;
}

int eval(const EvalOptions& options) {
  if (!std::isfinite(options.threshold)) throw CompileError("--threshold", "is not a number");
  if (options.on == "reference") refuse_plan_options(options.request);
  std::vector<NamedFile> inputs = input_files(options.request);
  inputs.push_back({"DATA", options.set});
  inputs.push_back({"--truth", options.truth});
  check_outputs(inputs, {{{"--json", options.json.path}, FileKind::kReport, "eval"}},
                options.force);
  (void)preprocessing(options.inputs);
  (void)labelled_set(options.set, options.truth);  // before a plan is searched
  Executed model{.source = read_model(options.request.model, import_options(options.request)),
                 .compiled = {},
                 .imported = {}};
  Request asked = request(options.request);
  asked.model = model.source;
  if (options.on == "reference") {
    GraphOptions as_imported = graph_options(options.request);
    as_imported.rewrite = false;
    model.imported = prepare(model.source.graph, as_imported);
  } else {
    if (options.on == "qemu" && asked.target.core.name.empty())
      asked.target.core = core_named("cortex-m4");
    model.compiled = compile_shown(asked, options.json);
    if (!model.compiled) return kDoesNotFit;
    if (!model.compiled->fits()) {
      print_no(options.json, model.source.sha256,
               {.model = model.source.where,
                .planner = model.compiled->plan.planner,
                .reason = shortage(*model.compiled)});
      return kDoesNotFit;
    }
  }
  Evaluation result = evaluated(options, model, asked);
  if (asked.labels.names.empty()) {
    const std::vector<std::string>& faults = model.source.metadata.faults;
    result.warnings.insert(result.warnings.end(), faults.begin(), faults.end());
  }
  result.model = model.source.where;
  result.on = options.on;
  if (model.compiled) result.planner = model.compiled->plan.planner;
  write_report(options.json, model.source.sha256, evaluation_json(result));
  print_beside(options.json, evaluation_text(result));
  return kDone;
}

}  // namespace

void add_eval(CLI::App& app, int& status) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App* command = app.add_subcommand(
      "eval", "Evaluate a model on samples with labels: accuracy, confusion, AUC");
  add_model_options(*command, options->request);
  add_text(*command, "DATA", options->set, "",
           "A folder with a folder of samples for each class, a .csv list of files and labels, or "
           "an array of samples (.npy, .safetensors)")
      ->required();
  add_plan_options(*command, options->request);
  command
      ->add_option("--on", options->on,
                   "reference: the plain interpreter; host (default): the plan with the "
                   "shipping kernels;\nqemu: the emitted firmware on an emulated board")
      ->check(CLI::IsMember({"reference", "host", "qemu"}));
  add_text(*command, "--truth", options->truth, "FILE",
           "Labels of an array's samples, a row for each (default: the .csv beside it)");
  command
      ->add_option("--task", options->task,
                   "classes: the best score; score: one number from --threshold on; anomaly: how "
                   "far an autoencoder is\noff; values: numbers (auto: by the output and the "
                   "labels)")
      ->check(CLI::IsMember({"auto", "classes", "score", "anomaly", "values"}));
  add_text(*command, "--positive", options->positive, "CLASS",
           "The class of two whose AUC is shown (the second; of anomalies anomal..)");
  command->add_option("--threshold", options->threshold, "Of --task score (0.5)")
      ->type_name("NUMBER");
  command
      ->add_option("--limit", options->limit,
                   "Most samples, from all over the set (all; on qemu 16)")
      ->type_name("NUMBER")
      ->check(CLI::Range(1, 1'000'000'000));
  add_input_options(*command, options->inputs);
  add_field(*command, request_field("labels"), options->request);
  add_json(*command, options->json);
  add_force(*command, options->force);
  command->footer(
      "Examples:\n  thimble eval model.tflite photos --labels labels.txt\n"
      "  thimble eval model.tflite list.csv --on reference --json figures.json\n"
      "  thimble eval model.tflite samples.npy --truth labels.csv --on qemu --limit 4");
  command->callback([options, &status] { status = eval(*options); });
}

}  // namespace thimble
