// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/paper_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "thimble/model/error.h"
#include "thimble/planners/registry.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

// Where a figure's number will be: among the plans of a job, or among its counts.
struct CellPlace {
  size_t job = 0, at = 0;
};

constexpr std::string_view kTinySeg = "tinyseg";

/// On the paper's device, if the figure names one.
swapnn::Rates rates_of(const Paper& paper, const PublishedFigure& figure) {
  if (figure.device.empty()) return {};
  constexpr double kPerSecond = 1e9;
  const PaperDevice& device = paper.devices.at(figure.device);
  const StorageFigures storage = device.storage.value_or(StorageFigures{});
  swapnn::Rates rates{.access_seconds = storage.access_seconds.value_or(0),
                      .convolution = kPerSecond / device.nanoseconds_per_mac,
                      .pointwise = kPerSecond / device.pointwise_nanoseconds_per_mac,
                      .fully_connected = kPerSecond / device.fully_connected_nanoseconds_per_mac};
  if (!storage.read_bytes_per_second)
    throw CompileError(figure.device, "has no storage with read_bytes_per_second");
  rates.bytes_per_second = static_cast<double>(*storage.read_bytes_per_second);
  return rates;
}

/// What is counted for the figure, whose counter is not kNone.
PaperCount count_for(const Paper& paper, const PublishedFigure& figure) {
  const size_t colon = figure.planner.find(':');
  const std::string options = colon == std::string::npos ? "" : figure.planner.substr(colon + 1);
  if (counter_of(figure) == Counter::kSwapNN) {
    swapnn::CountedRun run = swapnn::counted_run(options);
    run.rates = rates_of(paper, figure);
    if (figure.metric == Metric::kCardYears && run.endurance_bytes == 0)
      throw CompileError(figure.planner, "lacks endurance=SIZE, which card_years needs");
    return run;
  }
  if (figure.planner.substr(0, colon) != kTinySeg) {
    throw CompileError(figure.planner, fmt::format("is not {} with its steps, which counts {}",
                                                   kTinySeg, name(figure.metric)));
  }
  return tinyseg::counted_steps(options);
}

// Why a figure cannot be measured yet; empty if nothing speaks against trying.
std::string obstacle(const Paper& paper, const PublishedFigure& figure) {
  if (!measurable(figure))
    return fmt::format("{} needs the hardware or a model of it", name(figure.metric));
  const std::string planner = figure.planner.substr(0, figure.planner.find(':'));
  const auto& known = planners();
  const bool is_counted = counter_of(figure) != Counter::kNone;
  if (!is_counted &&
      std::none_of(known.begin(), known.end(), [&](const Planner& p) { return planner == p.name; }))
    return fmt::format("no planner '{}'", planner);
  try {
    if (is_counted) {
      [[maybe_unused]] const PaperCount count = count_for(paper, figure);
    } else {
      [[maybe_unused]] const PlannerChoice choice = choose_planner(figure.planner);
    }
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

// Its position in the list, at whose end it is put if it is not there.
template <typename Element>
size_t place_in(std::vector<Element>& list, const Element& element) {
  const auto it = std::find(list.begin(), list.end(), element);
  if (it != list.end()) return static_cast<size_t>(it - list.begin());
  list.push_back(element);
  return list.size() - 1;
}

// What a figure of time is simulated on. Storage that the network is not spilled to is none.
void simulate_on(const PaperDevice& device, ComparedPlan& plan) {
  constexpr double kNano = 1e-9;
  plan.simulation = SimulationRequest{.driver = device.driver,
                                      .options = {.inferences = device.driver.erases_ahead ? 2 : 1},
                                      .seconds_per_mac = kNano * device.nanoseconds_per_mac,
                                      .inferences_per_day = {},
                                      .storage = device.storage};
  if (!device.storage) return;
  const StorageFigures& storage = *device.storage;
  plan.storage = fmt::format("storage:write={},erase={},queue={}", *storage.write_granule_bytes,
                             *storage.erase_block_bytes, storage.transfers_in_flight.value_or(1));
}

CellPlace add_figure(const Paper& paper, const PublishedFigure& figure,
                     std::vector<ComparisonJob>& jobs) {
  auto job = std::find_if(jobs.begin(), jobs.end(), [&](const ComparisonJob& j) {
    return j.model == figure.model && j.request.graph.rewrite == figure.rewrite;
  });
  if (job == jobs.end()) {
    job = jobs.insert(jobs.end(),
                      {.model = figure.model,
                       .request = {.graph = {.rewrite = figure.rewrite, .keep_channels = true}},
                       .plans = {},
                       .counts = {},
                       .interpreter = false});
  }
  const auto at = static_cast<size_t>(job - jobs.begin());
  if (counter_of(figure) != Counter::kNone)
    return {at, place_in(job->counts, count_for(paper, figure))};
  ComparedPlan wanted{
      .planner = figure.planner,
      .in_place = figure.in_place,
      .layout = figure.layout == "exact" ? LayoutMethod::kExact : LayoutMethod::kGreedyBySize};
  if (!figure.device.empty()) simulate_on(paper.devices.at(figure.device), wanted);
  return {at, place_in(job->plans, wanted)};
}

ReproducedFigure count_of(const PublishedFigure& figure, const CountedFigures& count) {
  if (count.outcome == Outcome::kInternalFault) throw InternalError(count.reason);
  if (count.outcome != Outcome::kPlanned)
    return {.measured = std::nullopt, .not_measured = count.reason};
  const double value = count.values.at(figure.metric);
  if (!std::isfinite(value))
    return {.measured = std::nullopt, .not_measured = "the network computes nothing"};
  return {.measured = value, .not_measured = {}};
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
      return {.measured = cell.simulated_seconds, .not_measured = {}};
    case Metric::kTflmArenaBytes:
    case Metric::kTflmSavedPercent:
    case Metric::kIoTasks:
    case Metric::kIoSeconds:
    case Metric::kLatencyPercent:
    case Metric::kThroughputLossPercent:
    case Metric::kWrittenBytesPerDay:
    case Metric::kCardYears:
    case Metric::kEnergy:
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
    results[k].not_measured = obstacle(paper, paper.figures[k]);
    if (results[k].not_measured.empty()) places[k] = add_figure(paper, paper.figures[k], jobs);
  }
  const std::vector<ComparedModel> models = run(jobs);
  for (size_t k = 0; k < paper.figures.size(); ++k) {
    if (!places[k]) continue;
    const ComparedModel& model = models[places[k]->job];
    const PublishedFigure& figure = paper.figures[k];
    results[k] = counter_of(figure) != Counter::kNone
                     ? count_of(figure, model.counts[places[k]->at])
                     : result_of(figure, model, model.cells[places[k]->at]);
  }
  return results;
}

}  // namespace thimble
