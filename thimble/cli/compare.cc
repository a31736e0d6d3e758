// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <utility>

#include "thimble/cli/answers.h"
#include "thimble/cli/command_text.h"
#include "thimble/cli/commands.h"
#include "thimble/cli/options.h"
#include "thimble/cli/progress_line.h"
#include "thimble/driver/paper_comparison.h"
#include "thimble/model/error.h"
#include "thimble/planners/planner.h"
#include "thimble/planners/registry.h"
#include "thimble/search/parallel.h"

namespace thimble {
namespace {

struct CompareOptions {
  std::vector<std::string> models;
  RequestOptions request;
  std::string planners, paper;
  ReportFile json;
  bool zoo = false, csv = false, markdown = false, force = false;
};

// Models on several threads, in order, with "comparing: 3 of 40 models done"; each on one alone.
std::vector<ComparedModel> compared_models(const std::vector<ComparisonJob>& jobs, int threads) {
  const auto progress = [&](size_t done) {
    return fmt::format("comparing: {} of {} models done", done, jobs.size());
  };
  ProgressLine line(progress(0));
  std::vector<ComparedModel> results(jobs.size());
  std::atomic<size_t> done = 0;
  in_parallel(jobs.size(), threads == 0 ? all_cores() : threads, [&](size_t k, size_t) {
    results[k] = compared(jobs[k]);
    line.show(progress(++done));
  });
  return results;
}

// Bugs weigh more than faults, faults more than "does not fit".
int exit_status(const PlannerComparison& comparison) {
  if (comparison.any(Outcome::kInternalFault)) return kInternalFault;
  if (comparison.any(Outcome::kInputFault)) return kInputFault;
  return comparison.all_fit() ? kDone : kDoesNotFit;
}

// What is printed: the table for people, for spreadsheets or for pages.
struct ComparisonTexts {
  std::string text, csv, markdown, json;
};

void print(const CompareOptions& options, const ComparisonTexts& texts) {
  const Origin origin = origin_of(*options.json.command);
  write_report(options.json, "", texts.json);
  print_beside(options.json, options.csv        ? texts.csv
                             : options.markdown ? markdown_with(origin, texts.markdown)
                                                : texts.text);
}

int compare_models(const CompareOptions& options) {
  Request asked = request(options.request);
  const int threads = std::exchange(asked.jobs, 1);
  const std::vector<std::string> specs =
      options.planners.empty() ? planners_for(asked.ports) : planner_specs(options.planners);
  PlannerComparison comparison{.planners = specs,
                               .models = {},
                               .sram_limit_bytes = asked.sram_limit_bytes(),
                               .flash_limit_bytes = asked.flash_limit_bytes(),
                               .max_latency = asked.max_latency.value_or(Limits().max_latency)};
  ComparisonJob job{.model = {}, .request = asked, .plans = {}};
  for (const std::string& spec : specs) {
    [[maybe_unused]] const PlannerChoice choice = choose_planner(spec);  // refused before any work
    job.plans.push_back({spec, asked.in_place, asked.layout});
  }
  std::vector<ComparisonJob> jobs;
  for (const std::string& model : model_names(options.models, options.zoo)) {
    job.model = model;
    jobs.push_back(job);
  }
  comparison.models = compared_models(jobs, threads);
  print(options, {.text = comparison_text(comparison),
                  .csv = comparison_csv(comparison),
                  .markdown = comparison_markdown(comparison),
                  .json = comparison_json(comparison)});
  return exit_status(comparison);
}

int compare_paper(const CompareOptions& options) {
  const Paper paper = find_paper(options.paper);
  const int threads = request(options.request).jobs;
  const std::vector<ReproducedFigure> results =
      reproduce(paper, [&](const auto& jobs) { return compared_models(jobs, threads); });
  print(options, {.text = paper_text(paper, results),
                  .csv = paper_csv(paper, results),
                  .markdown = paper_markdown(paper, results),
                  .json = paper_json(paper, results)});
  return kDone;
}

// --json takes a file: a model behind it is none.
void tell_apart(CompareOptions& options) {
  std::string& file = options.json.path;
  if (file.starts_with("zoo:") || file.ends_with(".tflite") || file.ends_with(".onnx")) {
    options.models.insert(options.models.begin(), file);
    file = kStandardOutput;
  }
  if (file == kStandardOutput && (options.csv || options.markdown)) {
    throw CompileError(options.csv ? "--csv" : "--markdown",
                       "excludes --json without a file: both are for standard output");
  }
}

int compare(CompareOptions options) {
  tell_apart(options);
  std::vector<NamedFile> inputs{{"--device", options.request.text("device")},
                                {"--paper", options.paper}};
  for (const std::string& model : options.models) inputs.push_back({"MODEL", model});
  if (!options.paper.empty() && !options.json.html.empty())
    throw CompileError("--html", "is a page of planners, not of --paper");
  check_outputs(inputs, report_outputs(options.json, options.paper.empty() ? "compare" : "paper"),
                options.force);
  if (!options.paper.empty()) return compare_paper(options);
  if (options.models.empty() && !options.zoo)
    throw CompileError("MODEL",
                       "is required: .tflite or .onnx files, zoo:NAME, --zoo, or --paper NAME");
  return compare_models(options);
}

void add_formats(CLI::App& command, CompareOptions& options) {
  CLI::Option* csv =
      as_output(command.add_flag("--csv", options.csv, "A line per model and planner"));
  CLI::Option* markdown =
      as_output(command.add_flag("--markdown", options.markdown, "A table to paste"));
  csv->excludes(markdown);
  // Without a file it is a format like the others.
  add_json(command, options.json)->expected(0, 1)->default_str(kStandardOutput);
  add_html(command, options.json);
  add_force(command, options.force);
}

}  // namespace

void add_compare(CLI::App& app, int& status) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command =
      app.add_subcommand("compare", "Planners side by side on many models, or beside a paper");
  command->add_option(
      "MODEL", options->models,
      ".tflite or .onnx files, zoo:NAME (see `thimble zoo`), or zoo:* for all of the zoo");
  command->add_flag("--zoo", options->zoo, "The whole zoo, as zoo:*");
  add_text(*command, "--planners", options->planners, "A,B,...",
           "NAME or NAME:key=value,... each (default: all, see `thimble planners`)");
  for (const FieldGroup group : {FieldGroup::kGraph, FieldGroup::kTarget, FieldGroup::kLimits})
    add_fields(*command, group, options->request);
  CLI::Option* paper = add_text(*command, "--paper", options->paper, "NAME",
                                "The figures of bench/papers/NAME.json, published and measured");
  for (const CLI::Option* other : command->get_options()) {
    const std::string name = other->get_name();
    if (other != paper && name != "--help" && name != "--jobs" && !name.empty())
      paper->excludes(command->get_option(name == "MODEL" ? "MODEL" : name));
  }
  add_formats(*command, *options);
  command->footer(
      "Examples:\n"
      "  thimble compare model.tflite zoo:demo --planners original,reorder --sram 64K\n"
      "  thimble compare --zoo --csv > zoo.csv\n"
      "  thimble compare --paper operator_reordering");
  command->callback([options, &status] { status = compare(*options); });
}

}  // namespace thimble
