// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/planners/patch_candidate.h"
#include "thimble/planners/whole_operators.h"

namespace thimble {
namespace {

constexpr const char* kWhere = "--planner";

/// What the user has fixed.
struct Wishes {
  std::optional<int64_t> patches, split;
  bool paper = false;  ///< accounting
};

Wishes wishes(const PlannerOptions& options) {
  return {.patches = number_option(options, "patches", 2),
          .split = number_option(options, "split", 0),
          .paper = wants_paper_accounting(options)};
}

/// Of a number of patches along each axis, those that differ.
std::vector<PatchGrid> grids(const Shape& split, const Wishes& wishes) {
  if (wishes.patches) return {patch_grid(split, *wishes.patches)};
  std::vector<PatchGrid> result;
  for (int64_t patches = 2; patches <= std::max(split[1], split[2]); ++patches) {
    const PatchGrid grid = patch_grid(split, patches);
    if (result.empty() || result.back() != grid) result.push_back(grid);
  }
  return result;
}

struct Patches {
  PatchSplit split;
  PatchCandidate candidate;

  [[nodiscard]] int64_t peak_bytes() const {
    return std::max(candidate.stage_bytes(), split.rest.peak_bytes);
  }
};

/// All that the planner could answer, and the best of it.
class PatchSearch {
 public:
  PatchSearch(const Graph& graph, const Limits& limits, const Wishes& wishes)
      : graph_(graph),
        limits_(limits),
        wishes_(wishes),
        analysis_(graph),
        problem_(order_problem(graph, limits.in_place, limits.ports)),
        network_macs_(macs(graph)) {}

  void run() {
    for (size_t k = 0; k < graph_.ops.size(); ++k) {
      if (best_ && late(limits_.time)) return;
      if (!wishes_.split || graph_.ops[k].file_index == *wishes_.split)
        try_split({static_cast<int32_t>(k)});
    }
  }

  const OrderProblem& problem() const { return problem_; }
  std::optional<Patches>& best() { return best_; }
  /// Of all that was looked at, and allowed.
  std::optional<int64_t> bound_bytes() const { return bound_bytes_; }
  int64_t network_macs() const { return network_macs_; }
  /// Why the last split that was tried is none; empty if there were any.
  const std::string& refusal() const { return refusal_; }
  /// Least ratio of recomputed MACs among those that were more than allowed.
  std::optional<double> least_ratio() const { return least_ratio_; }

 private:
  void try_split(OpId last) {
    auto stage = analysis_.stage_up_to(last);
    if (const auto* why = std::get_if<std::string>(&stage)) {
      refuse(last, *why);
      return;
    }
    std::optional<PatchSplit> split;
    for (const PatchGrid& grid : grids(graph_.tensor(graph_.op(last).outputs[0]).shape, wishes_)) {
      // The rest takes its time to be put in order: only if there are patches.
      if (!split) {
        const auto regions = analysis_.regions(std::get<PatchStage>(stage), grid);
        if (const auto* why = std::get_if<std::string>(&regions)) {
          refuse(last, *why);
          continue;
        }
        split = patch_split(graph_, problem_, std::get<PatchStage>(stage),
                            limits_.in_place && !wishes_.paper);
      }
      auto candidate = patch_candidate(graph_, analysis_, *split, grid);
      if (const auto* why = std::get_if<std::string>(&candidate)) {
        refuse(last, *why);
      } else {
        weigh(*split, std::get<PatchCandidate>(std::move(candidate)));
      }
    }
  }

  void refuse(OpId last, const std::string& why) {
    refusal_ =
        fmt::format("the network cannot be split behind {}: {}", label(graph_.op(last)), why);
  }

  void weigh(const PatchSplit& split, PatchCandidate candidate) {
    const double ratio = static_cast<double>(candidate.recomputed_macs) /
                         static_cast<double>(std::max<int64_t>(network_macs_, 1));
    if (limits_.max_recompute && ratio > *limits_.max_recompute) {
      least_ratio_ = std::min(least_ratio_.value_or(ratio), ratio);
      return;
    }
    const int64_t bound = std::max(candidate.held_bytes + candidate.order.lower_bound_bytes,
                                   split.rest.lower_bound_bytes);
    bound_bytes_ = std::min(bound_bytes_.value_or(bound), bound);
    auto worth = [&](const Patches& choice) {
      const PatchGrid& grid = choice.candidate.grid;
      // What fits fits: below the budget fewer bytes are worth nothing.
      return std::tuple(std::max(choice.peak_bytes(), limits_.sram_bytes.value_or(0)),
                        choice.candidate.recomputed_macs, grid.down * grid.across);
    };
    Patches choice{split, std::move(candidate)};
    if (!best_ || worth(choice) < worth(*best_)) best_ = std::move(choice);
  }

  const Graph& graph_;
  const Limits& limits_;
  const Wishes wishes_;
  PatchAnalysis analysis_;
  OrderProblem problem_;
  int64_t network_macs_;
  std::optional<Patches> best_;
  std::optional<int64_t> bound_bytes_;
  std::optional<double> least_ratio_;
  std::string refusal_;
};

std::vector<Note> notes(const Patches& choice, int64_t network_macs) {
  const PatchCandidate& c = choice.candidate;
  const PatchStage& stage = choice.split.stage;
  return {note::Patches{.down = c.grid.down,
                        .across = c.grid.across,
                        .rows = c.grid.rows,
                        .columns = c.grid.columns,
                        .last = stage.ops.back(),
                        .split = stage.split,
                        .recomputed_macs = c.recomputed_macs,
                        .stage_macs = c.stage_macs,
                        .network_macs = network_macs},
          note::PatchBytes{.stage_bytes = c.stage_bytes(),
                           .input_bytes = c.input_bytes,
                           .slice_bytes = c.order.peak_bytes,
                           .split_bytes = c.held_bytes - c.input_bytes,
                           .split_over_inputs = choice.split.under.has_value(),
                           .rest_bytes = choice.split.rest.peak_bytes}};
}

std::string cause(const Graph& graph, const Patches& choice) {
  const PatchCandidate& c = choice.candidate;
  const std::string split = label(graph.op(choice.split.stage.ops.back()));
  if (c.stage_bytes() < choice.split.rest.peak_bytes) {
    return fmt::format("the operators behind the patches, split behind {}, need {} B", split,
                       choice.split.rest.peak_bytes);
  }
  return fmt::format(
      "with {} x {} patches, split behind {}, a patch needs {} B: inputs {}, split tensor {}, "
      "slices {}",
      c.grid.down, c.grid.across, split, c.stage_bytes(), c.input_bytes,
      c.held_bytes - c.input_bytes, c.order.peak_bytes);
}

/// Throws where what the user has fixed leaves nothing.
void expect_choice(PatchSearch& search, const Wishes& wishes) {
  if (search.best()) return;
  if (search.least_ratio()) {
    throw CompileError("--max-recompute",
                       fmt::format("these patches recompute more; the least that works is {:.4f}",
                                   std::ceil(*search.least_ratio() * 1e4) / 1e4));
  }
  if (!search.refusal().empty()) {
    throw CompileError(kWhere, wishes.split
                                   ? search.refusal()
                                   : "there is nothing to execute in patches: " + search.refusal());
  }
  throw CompileError(kWhere, fmt::format("no operator of the network has the number {} (`thimble "
                                         "inspect` lists them)",
                                         wishes.split.value_or(0)));
}

PlannerAnswer fit(PlannerAnswer answer, const Limits& limits, int64_t peak_bytes,
                  const std::string& why) {
  const int64_t bound = std::get<Planned>(answer).lower_bound_bytes;
  if (!limits.sram_bytes || peak_bytes <= *limits.sram_bytes) return answer;
  return Infeasible{.lower_bound_bytes = bound, .reason = why};
}

}  // namespace

PlannerAnswer plan_patch(const Graph& graph, const Limits& limits, const PlannerOptions& options) {
  const Wishes wished = wishes(options);
  PatchSearch search(graph, limits, wished);
  search.run();
  const bool may_be_whole = !wished.patches && !wished.split;
  if (!may_be_whole) expect_choice(search, wished);
  std::optional<Patches>& best = search.best();
  int64_t bound = search.bound_bytes().value_or(INT64_MAX);
  if (late(limits.time)) bound = 0;  // not all was looked at
  if (may_be_whole) {
    const Order order = reorder(search.problem(), kOrderStates, limits.time);
    bound = std::min(bound, order.lower_bound_bytes);
    if (!best || order.peak_bytes <= std::max(best->peak_bytes(), limits.sram_bytes.value_or(0))) {
      Planned planned{
          .schedule = whole_operator_schedule(graph, search.problem(), order, limits.in_place),
          .lower_bound_bytes = bound,
          .proven_optimal = order.peak_bytes == bound,
          .notes = {note::NoPatches{}}};
      return fit(std::move(planned), limits, order.peak_bytes,
                 fmt::format("whole operators in the best order need {} B, and no patches less",
                             order.peak_bytes));
    }
  }
  Planned planned{.schedule = patch_schedule(graph, best->split, best->candidate, limits.in_place),
                  .lower_bound_bytes = bound,
                  .proven_optimal = best->peak_bytes() == bound,
                  .notes = notes(*best, search.network_macs())};
  return fit(std::move(planned), limits, best->peak_bytes(), cause(graph, *best));
}

}  // namespace thimble
