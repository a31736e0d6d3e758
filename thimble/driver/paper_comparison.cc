// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/paper_comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/model/error.h"
#include "thimble/planners/registry.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

// Where a figure's number will be.
struct CellPlace {
  size_t job = 0, plan = 0;
};

// Why a figure cannot be measured yet; empty if nothing speaks against trying.
std::string obstacle(const PublishedFigure& figure) {
  if (!measurable(figure.metric))
    return fmt::format("{} needs the hardware or a model of it", name(figure.metric));
  const std::string planner = figure.planner.substr(0, figure.planner.find(':'));
  const auto& known = planners();
  if (std::none_of(known.begin(), known.end(), [&](const Planner& p) { return planner == p.name; }))
    return fmt::format("no planner '{}'", planner);
  try {
    [[maybe_unused]] const PlannerChoice choice = choose_planner(figure.planner);
  } catch (const CompileError& error) {
    return error.what();
  }
  constexpr std::string_view kZoo = "zoo:";
  if (!figure.model.starts_with(kZoo)) return "";
  const size_t colon = figure.model.find(':', kZoo.size());
  const std::string network = figure.model.substr(kZoo.size(), colon - kZoo.size());
  for (const ZooEntry& entry : zoo_entries()) {
    if (entry.name == network) return "";
  }
  return fmt::format("no network '{}' in the zoo", network);
}

CellPlace add_figure(const PublishedFigure& figure, std::vector<ComparisonJob>& jobs) {
  auto job = std::find_if(jobs.begin(), jobs.end(), [&](const ComparisonJob& j) {
    return j.model == figure.model && j.request.graph.rewrite == figure.rewrite;
  });
  if (job == jobs.end()) {
    job = jobs.insert(jobs.end(),
                      {.model = figure.model,
                       .request = {.graph = {.rewrite = figure.rewrite, .keep_channels = true}},
                       .plans = {},
                       .interpreter = false});
  }
  const ComparedPlan wanted{
      .planner = figure.planner,
      .in_place = figure.in_place,
      .layout = figure.layout == "exact" ? LayoutMethod::kExact : LayoutMethod::kGreedyBySize};
  auto plan = std::find(job->plans.begin(), job->plans.end(), wanted);
  if (plan == job->plans.end()) plan = job->plans.insert(plan, wanted);
  return {static_cast<size_t>(job - jobs.begin()), static_cast<size_t>(plan - job->plans.begin())};
}

ReproducedFigure result_of(const PublishedFigure& figure, const ComparedModel& model,
                           const ComparedCell& cell) {
  const auto measured = [](int64_t value) {
    return ReproducedFigure{.measured = static_cast<double>(value), .not_measured = {}};
  };
  if (cell.outcome == Outcome::kInternalFault) throw InternalError(cell.reason);
  if (!cell.planned()) return {.measured = std::nullopt, .not_measured = cell.reason};
  switch (figure.metric) {
    case Metric::kPeakBytes:
      return measured(cell.peak_bytes);
    case Metric::kArenaBytes:
      return measured(cell.arena_bytes);
    case Metric::kLiveBytes: {
      const auto step = static_cast<size_t>(*figure.step);
      if (step < cell.live_bytes.size()) return measured(cell.live_bytes[step]);
      return {.measured = std::nullopt,
              .not_measured = fmt::format("the plan has {} steps", cell.live_bytes.size())};
    }
    case Metric::kMacs:
      return measured(cell.macs);
    case Metric::kExtraMacsPercent:
      return {
          .measured = 100 * static_cast<double>(cell.recomputed_macs) /
                      static_cast<double>(std::max<int64_t>(cell.macs - cell.recomputed_macs, 1)),
          .not_measured = {}};
    case Metric::kWeightBytes:
      return measured(model.weight_bytes);
    case Metric::kActivationBytes:
      return measured(model.activation_bytes);
    case Metric::kLatency:
    case Metric::kLatencyPercent:
    case Metric::kEnergy:
    case Metric::kIoSeconds:
    case Metric::kIoTasks:
    case Metric::kWrittenBytesPerDay:
      break;
  }
  throw InternalError(fmt::format("{} was to be measured", name(figure.metric)));
}

}  // namespace

std::vector<ReproducedFigure> reproduce(const Paper& paper, const ComparisonRunner& run) {
  std::vector<ReproducedFigure> results(paper.figures.size());
  std::vector<std::optional<CellPlace>> places(paper.figures.size());
  std::vector<ComparisonJob> jobs;
  for (size_t k = 0; k < paper.figures.size(); ++k) {
    results[k].not_measured = obstacle(paper.figures[k]);
    if (results[k].not_measured.empty()) places[k] = add_figure(paper.figures[k], jobs);
  }
  const std::vector<ComparedModel> models = run(jobs);
  for (size_t k = 0; k < paper.figures.size(); ++k) {
    if (!places[k]) continue;
    const ComparedModel& model = models[places[k]->job];
    results[k] = result_of(paper.figures[k], model, model.cells[places[k]->plan]);
  }
  return results;
}

}  // namespace thimble
