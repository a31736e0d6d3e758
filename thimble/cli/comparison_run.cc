// SPDX-License-Identifier: Apache-2.0
#include "thimble/cli/comparison_run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <new>
#include <thread>

#include "thimble/cli/limits.h"
#include "thimble/cli/pipeline.h"
#include "thimble/model/error.h"
#include "thimble/report/inspect.h"

namespace thimble {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

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

ComparedCell measured_cell(const Graph& graph, const std::string& where,
                           const PlanOptions& options) {
  const PlannerChoice choice = choose_planner(options.planner);
  const Clock::time_point start = Clock::now();
  const TimeLimit time(options.time_limit_seconds);
  PlannerAnswer answer = plan_graph(graph, choice, options, time);
  const double plan_seconds = seconds_since(start);
  if (const auto* no = std::get_if<Infeasible>(&answer)) {
    ComparedCell cell = failed(options.planner, Outcome::kInfeasible, no->reason);
    cell.lower_bound_bytes = no->lower_bound_bytes;
    return cell;
  }
  auto& planned = std::get<Planned>(answer);
  const Clock::time_point placing = Clock::now();
  Plan plan = plan_of(options.planner, planned, place_buffers(graph, planned, options, time));
  const double layout_seconds = seconds_since(placing);
  const Compiled compiled = verified(graph, std::move(plan), std::move(planned), where);
  const Placement& placement = compiled.plan.placement;
  const std::optional<CoreEstimate> estimate =
      estimate_on(compiled.program, budget(options).device);
  return {.planner = options.planner,
          .outcome = Outcome::kPlanned,
          .reason = time.struck() ? time_limit_note(options) : "",
          .peak_bytes = placement.peak_bytes,
          .lower_bound_bytes = placement.lower_bound_bytes,
          .arena_bytes = placement.arena_bytes,
          .macs = compiled.macs,
          .recomputed_macs = compiled.recomputed_macs,
          .weight_bytes = compiled.weight_bytes,
          .instructions = estimate ? std::optional(estimate->estimate.instructions) : std::nullopt,
          .plan_seconds = plan_seconds,
          .layout_seconds = layout_seconds,
          .layout_proven = placement.proven_optimal,
          .live_bytes = compiled.live_bytes};
}

// What the interpreter does with the file: nothing rewritten, nothing in place.
PlanOptions interpreter_options() {
  PlanOptions options;
  options.planner = "original";
  options.in_place = false;
  options.layout = "greedy_by_size";
  return options;
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

void measure_cells(const ComparisonJob& job, ComparedModel& result) {
  Graph graph = load_graph(job.model.model);
  check_bytes(graph, max_bytes(job.model));
  if (job.interpreter) {
    result.interpreter = guarded("interpreter", [&] {
      ComparedCell cell = measured_cell(graph, job.model.model, interpreter_options());
      cell.planner = "interpreter";
      return cell;
    });
  }
  graph = prepare(graph, job.model);
  result.weight_bytes = inspect(graph).weight_bytes;
  result.activation_bytes = activation_bytes(graph);
  for (const PlanOptions& options : job.plans) {
    result.cells.push_back(
        guarded(options.planner, [&] { return measured_cell(graph, job.model.model, options); }));
  }
}

ComparedModel measured_model(const ComparisonJob& job) {
  ComparedModel result;
  result.model = job.model.model;
  const ComparedCell outcome = guarded("", [&] {
    measure_cells(job, result);
    return ComparedCell{};
  });
  if (outcome.planned()) return result;
  // The model could not be read: the reason stands in every cell.
  result.interpreter = failed("interpreter", outcome.outcome, outcome.reason);
  result.cells.clear();
  for (const PlanOptions& options : job.plans)
    result.cells.push_back(failed(options.planner, outcome.outcome, outcome.reason));
  return result;
}

}  // namespace

std::vector<ComparedModel> run_comparison(const std::vector<ComparisonJob>& jobs, unsigned threads,
                                          const std::function<void(size_t)>& done) {
  std::vector<ComparedModel> results(jobs.size());
  std::atomic<size_t> next = 0;
  std::mutex done_mutex;
  const auto work = [&] {
    for (size_t k = next++; k < jobs.size(); k = next++) {
      results[k] = measured_model(jobs[k]);
      const std::lock_guard lock(done_mutex);
      done(k);
    }
  };
  const size_t count = std::clamp<size_t>(threads, 1, std::max<size_t>(jobs.size(), 1));
  std::vector<std::thread> pool;
  for (size_t k = 1; k < count; ++k) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
  return results;
}

}  // namespace thimble
