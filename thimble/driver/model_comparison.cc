// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/model_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

#include "thimble/driver/interpreter_export.h"
#include "thimble/driver/reports.h"
#include "thimble/report/inspect.h"
#include "thimble/report/note_text.h"
#include "thimble/report/peak.h"
#include "thimble/target/size.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

ComparedCell failed(const std::string& planner, Outcome outcome, const std::string& reason) {
  ComparedCell cell;
  cell.planner = planner;
  cell.outcome = outcome;
  cell.reason = reason;
  return cell;
}

// Elsewhere only main() catches. Here one cell must not lose the others.
template <typename Work>
ComparedCell guarded(const std::string& planner, const Work& work) {
  try {
    return work();
  } catch (const CompileError& error) {
    return failed(planner, Outcome::kInputFault, error.what());
  } catch (const std::bad_alloc&) {
    return failed(planner, Outcome::kInputFault, "out of memory");
  } catch (const std::exception& error) {
    return failed(planner, Outcome::kInternalFault, std::string("internal error: ") + error.what());
  }
}

// What a planner did, in the first words of its note.
std::string moves_of(const Compiled& compiled) {
  for (const Note& note : compiled.notes) {
    const bool of_moves = std::holds_alternative<note::Patches>(note) ||
                          std::holds_alternative<note::ChannelLoops>(note) ||
                          std::holds_alternative<note::Spans>(note) ||
                          std::holds_alternative<note::Partitions>(note) ||
                          std::holds_alternative<note::Rematerialised>(note) ||
                          std::holds_alternative<note::Spilled>(note);
    const std::string text = of_moves ? sentence(note, compiled.graph) : "";
    if (!text.empty()) return text.substr(0, text.find(';'));
  }
  return "";
}

// The step of the peak, and the largest tensor there.
std::string peak_at(const Compiled& compiled) {
  const std::optional<Peak> peak = peak_of(compiled.graph, compiled.plan, compiled.cost.live_bytes);
  if (!peak || peak->buffers.empty()) return "";
  const Schedule& schedule = compiled.plan.schedule;
  const auto bytes = [&](BufferId id) { return schedule.buffer(id).size_bytes(); };
  const BufferId largest = *std::ranges::max_element(peak->buffers, {}, bytes);
  const TensorId tensor = schedule.buffer(largest).tensor;
  return fmt::format("{}, with {} B of {}", peak->label, with_separators(bytes(largest)),
                     tensor.valid() ? to_string(compiled.graph.tensor(tensor).shape) : "scratch");
}

ComparedCell cell_of(const Request& request, const std::optional<SimulationRequest>& wanted) {
  const Answer answer = compile(request);
  if (const auto* no = std::get_if<Infeasible>(&answer)) {
    ComparedCell cell = failed(request.planner, Outcome::kInfeasible, no->reason);
    cell.lower_bound_bytes = no->lower_bound_bytes;
    return cell;
  }
  const auto* compiled = std::get_if<Compiled>(&answer);
  if (compiled == nullptr) return failed(request.planner, Outcome::kInputFault, "cancelled");
  std::string struck;
  for (const Note& note : compiled->notes) {
    if (std::holds_alternative<note::TimeLimitStruck>(note))
      struck = sentence(note, compiled->graph);
  }
  const Placement& placement = compiled->plan.placement;
  const std::optional<CoreEstimate> estimate = estimate_of(*compiled);
  return {.planner = request.planner,
          .outcome = Outcome::kPlanned,
          .reason = struck,
          .peak_bytes = placement.arena().peak_bytes,
          .lower_bound_bytes = placement.arena().lower_bound_bytes,
          .arena_bytes = placement.arena_bytes(),
          .macs = compiled->cost.macs,
          .recomputed_macs = compiled->cost.recomputed_macs,
          .weight_bytes = compiled->cost.weight_bytes,
          .instructions = estimate ? std::optional(estimate->estimate.instructions) : std::nullopt,
          .milliseconds = estimate ? estimate->milliseconds() : std::nullopt,
          .simulated_seconds =
              wanted
                  ? std::optional(simulation_report(request, *compiled, *wanted).simulation.seconds)
                  : std::nullopt,
          .plan_seconds = compiled->plan_seconds,
          .layout_seconds = compiled->layout_seconds,
          .layout_proven = placement.arena().proven_optimal,
          .live_bytes = compiled->cost.live_bytes,
          .moves = moves_of(*compiled),
          .peak_at = peak_at(*compiled)};
}

// What the interpreter does with the file: nothing rewritten, nothing in place.
ComparedCell interpreter_cell(const Source& source, const GraphOptions& options) {
  ComparedCell cell = cell_of({.model = source,
                               .graph = {.rewrite = false, .max_bytes = options.max_bytes},
                               .planner = "original",
                               .in_place = false,
                               .layout = LayoutMethod::kGreedyBySize},
                              std::nullopt);
  cell.planner = "interpreter";
  return cell;
}

int64_t activation_bytes(const Graph& graph) {
  int64_t sum = 0;
  const std::vector<OpId> producer = producers(graph);
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    if (producer[t].valid()) sum += graph.tensors[t].size_bytes();
  }
  for (const Port& port : graph.inputs) sum += graph.tensor(port.tensor).size_bytes();
  return sum;
}

std::map<Metric, double> counted(const Graph& graph, const tinyseg::CountedSteps& steps) {
  const tinyseg::Count count = tinyseg::count(graph, steps);
  const auto bytes = static_cast<double>(count.arena_bytes);
  const auto original = static_cast<double>(std::max<int64_t>(count.original_bytes, 1));
  return {{Metric::kTflmArenaBytes, bytes},
          {Metric::kTflmSavedPercent, 100 * (original - bytes) / original}};
}

std::map<Metric, double> counted(const Graph& graph, const swapnn::CountedRun& run) {
  const swapnn::Count count = swapnn::count(graph, run);
  return {{Metric::kIoTasks, static_cast<double>(count.io_tasks)},
          {Metric::kIoSeconds, count.io_seconds},
          {Metric::kLatencyPercent, count.delay_percent()},
          {Metric::kThroughputLossPercent, count.throughput_loss_percent()},
          {Metric::kWrittenBytesPerDay, count.written_bytes_per_day()},
          {Metric::kCardYears, count.card_years()}};
}

void add_cells(const ComparisonJob& job, ComparedModel& result) {
  Request request = job.request;
  const Source source = load(job.model);
  request.model = source;
  const Graph graph = prepare(source.graph, request.graph);
  if (job.interpreter) {
    result.interpreter =
        guarded("interpreter", [&] { return interpreter_cell(source, request.graph); });
  }
  if (const auto arena = arena_as_given(job.model, job.request.import))
    result.structures_bytes = arena->structures_bytes;
  result.weight_bytes = inspect(graph).weight_bytes;
  result.activation_bytes = activation_bytes(graph);
  for (const PaperCount& wanted : job.counts) {
    CountedFigures& figures = result.counts.emplace_back();
    try {
      figures.values = std::visit([&](const auto& one) { return counted(graph, one); }, wanted);
    } catch (const CompileError& error) {
      figures = {.outcome = Outcome::kInputFault, .reason = error.what(), .values = {}};
    }
  }
  for (const ComparedPlan& plan : job.plans) {
    request.planner = plan.planner;
    request.in_place = plan.in_place;
    request.layout = plan.layout;
    request.storage = plan.storage.empty() ? job.request.storage : plan.storage;
    result.cells.push_back(
        guarded(plan.planner, [&] { return cell_of(request, plan.simulation); }));
  }
}

}  // namespace

ComparedModel compared(const ComparisonJob& job) {
  ComparedModel result;
  result.model = job.model;
  const ComparedCell outcome = guarded("", [&] {
    add_cells(job, result);
    return ComparedCell{};
  });
  if (outcome.planned()) return result;
  // The model could not be read: the reason stands in every cell.
  result.interpreter = failed("interpreter", outcome.outcome, outcome.reason);
  result.counts.assign(job.counts.size(),
                       {.outcome = outcome.outcome, .reason = outcome.reason, .values = {}});
  result.cells.clear();
  for (const ComparedPlan& plan : job.plans)
    result.cells.push_back(failed(plan.planner, outcome.outcome, outcome.reason));
  return result;
}

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

std::vector<std::string> model_names(std::vector<std::string> typed, bool zoo) {
  constexpr const char* kWholeZoo = "zoo:*";
  if (zoo) typed.emplace_back(kWholeZoo);
  std::vector<std::string> result;
  for (std::string& name : typed) {
    if (name != kWholeZoo) {
      result.push_back(std::move(name));
      continue;
    }
    for (const ZooEntry& entry : zoo_entries()) result.push_back("zoo:" + entry.name);
  }
  return result;
}

}  // namespace thimble
