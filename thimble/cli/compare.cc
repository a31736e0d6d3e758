// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>

#include "thimble/cli/commands.h"
#include "thimble/cli/compare_paper.h"
#include "thimble/cli/comparison_run.h"
#include "thimble/cli/progress_line.h"
#include "thimble/model/error.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

struct CompareOptions {
  std::vector<std::string> models;
  ModelOptions model;
  PlanOptions plan;
  std::string planners, paper;
  bool zoo = false, csv = false, json = false, markdown = false;
  unsigned jobs = 0;
};

constexpr const char* kWholeZoo = "zoo:*";

// "original,pex:a=1,b=2,reorder": a piece whose '=' comes before any ':' is a further option of the
// planner before it.
std::vector<std::string> planner_specs(const std::string& list) {
  std::vector<std::string> specs;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    const std::string piece = list.substr(begin, end - begin);
    const size_t mark = piece.find_first_of(":=");
    if (mark != std::string::npos && piece[mark] == '=' && !specs.empty()) {
      specs.back() += "," + piece;
    } else {
      specs.push_back(piece);
    }
    begin = end + 1;
  }
  return specs;
}

// Of those that can do what is asked for.
std::vector<std::string> all_planners(const PortPlaces& ports) {
  const bool streams = ports.input == Place::kStreamed || ports.output == Place::kStreamed;
  std::vector<std::string> names;
  for (const Planner& planner : planners()) {
    if (planner.streams || !streams) names.emplace_back(planner.name);
  }
  return names;
}

std::vector<std::string> model_names(const CompareOptions& options) {
  std::vector<std::string> names = options.models;
  if (options.zoo) names.emplace_back(kWholeZoo);
  std::vector<std::string> result;
  for (std::string& name : names) {
    if (name != kWholeZoo) {
      result.push_back(std::move(name));
      continue;
    }
    for (const ZooEntry& entry : zoo_entries()) result.push_back("zoo:" + entry.name);
  }
  return result;
}

// 0 where standard output is no terminal.
size_t terminal_width() {
  winsize size{};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

// Progress over models, "comparing: 3 of 40 models done".
class Counter {
 public:
  void start(size_t total) {
    total_ = total;
    line_.show(text());
  }
  void done() {
    ++done_;
    line_.show(text());
  }

 private:
  [[nodiscard]] std::string text() const {
    return fmt::format("comparing: {} of {} models done", done_, total_);
  }
  size_t done_ = 0, total_ = 0;
  ProgressLine line_{"comparing"};
};

unsigned threads(const CompareOptions& options) {
  return options.jobs != 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
}

// Bugs weigh more than faults, faults more than "does not fit".
int exit_status(const Comparison& comparison) {
  const auto any = [&](const auto& test) {
    return std::any_of(comparison.models.begin(), comparison.models.end(),
                       [&](const ComparedModel& model) {
                         return test(model.interpreter) ||
                                std::any_of(model.cells.begin(), model.cells.end(), test);
                       });
  };
  const auto is = [](Outcome outcome) {
    return [outcome](const ComparedCell& cell) { return cell.outcome == outcome; };
  };
  if (any(is(Outcome::kInternalFault))) return kInternalFault;
  if (any(is(Outcome::kInputFault))) return kInputFault;
  for (const ComparedModel& model : comparison.models) {
    for (const ComparedCell& cell : model.cells) {
      if (!comparison.fits(cell)) return kDoesNotFit;
    }
  }
  return kDone;
}

int compare_models(const CompareOptions& options) {
  const std::vector<std::string> specs =
      options.planners.empty() ? all_planners(options.plan.ports) : planner_specs(options.planners);
  const Budget limits = budget(options.plan);
  Comparison comparison{.planners = specs,
                        .models = {},
                        .sram_limit_bytes = limits.sram_bytes,
                        .flash_limit_bytes = limits.flash_bytes};
  ComparisonJob job{.model = options.model, .plans = {}};
  for (const std::string& spec : specs) {
    [[maybe_unused]] const PlannerChoice choice = choose_planner(spec);  // refused before any work
    job.plans.push_back(options.plan);
    job.plans.back().planner = spec;
  }
  std::vector<ComparisonJob> jobs;
  for (const std::string& model : model_names(options)) {
    job.model.model = model;
    jobs.push_back(job);
  }
  {
    Counter counter;
    counter.start(jobs.size());
    comparison.models = run_comparison(jobs, threads(options), [&](size_t) { counter.done(); });
  }
  fmt::print("{}", options.csv        ? comparison_csv(comparison)
                   : options.json     ? comparison_json(comparison)
                   : options.markdown ? comparison_markdown(comparison)
                                      : comparison_text(comparison, terminal_width()));
  return exit_status(comparison);
}

int compare_paper(const CompareOptions& options) {
  const Paper paper = find_paper(options.paper);
  std::vector<ReproducedFigure> results;
  {
    Counter counter;
    results = reproduce(
        paper, threads(options), [&](size_t total) { counter.start(total); },
        [&](size_t) { counter.done(); });
  }
  fmt::print("{}", options.csv        ? paper_csv(paper, results)
                   : options.json     ? paper_json(paper, results)
                   : options.markdown ? paper_markdown(paper, results)
                                      : paper_text(paper, results));
  return kDone;
}

int compare(const CompareOptions& options) {
  if (!options.paper.empty()) return compare_paper(options);
  if (options.models.empty() && !options.zoo)
    throw CompileError("MODEL", "is required: .tflite files, zoo:NAME, --zoo, or --paper NAME");
  return compare_models(options);
}

void add_formats(CLI::App& command, CompareOptions& options) {
  CLI::Option* csv = command.add_flag("--csv", options.csv, "A line per model and planner");
  CLI::Option* json = command.add_flag("--json", options.json, "Everything, with exact numbers");
  CLI::Option* markdown = command.add_flag("--markdown", options.markdown, "A table to paste");
  csv->excludes(json)->excludes(markdown);
  json->excludes(markdown);
}

}  // namespace

void add_compare(CLI::App& app, int& status) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command =
      app.add_subcommand("compare", "Planners side by side on many models, or beside a paper");
  command->add_option("MODEL", options->models,
                      ".tflite files, zoo:NAME (see `thimble zoo`), or zoo:* for all of the zoo");
  command->add_flag("--zoo", options->zoo, "The whole zoo, as zoo:*");
  add_text(*command, "--planners", options->planners, "A,B,...",
           "NAME or NAME:key=value,... each (default: all, see `thimble planners`)");
  add_graph_options(*command, options->model);
  add_limit_options(*command, options->plan);
  CLI::Option* paper = add_text(*command, "--paper", options->paper, "NAME",
                                "The figures of bench/papers/NAME.json, published and measured");
  for (const CLI::Option* other : command->get_options()) {
    const std::string name = other->get_name();
    if (other != paper && name != "--help" && !name.empty())
      paper->excludes(command->get_option(name == "MODEL" ? "MODEL" : name));
  }
  add_formats(*command, *options);
  command->add_option("--jobs", options->jobs, "Models at a time (default: one per core)")
      ->type_name("NUMBER")
      ->check(CLI::Range(1, 1024));
  command->footer(
      "Examples:\n"
      "  thimble compare model.tflite zoo:demo --planners original,reorder --sram 64K\n"
      "  thimble compare --zoo --csv > zoo.csv\n"
      "  thimble compare --paper operator_reordering");
  command->callback([options, &status] { status = compare(*options); });
}

}  // namespace thimble
