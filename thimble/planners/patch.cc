// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thimble/model/error.h"
#include "thimble/plan/order_plan.h"
#include "thimble/plan/order_problem.h"
#include "thimble/planners/patch_search.h"

namespace thimble {
namespace {

constexpr const char* kWhere = "--planner";
PatchWishes wishes(const PlannerOptions& options) {
  return {.patches = number_option(options, "patches", 2),
          .split = number_option(options, "split", 0),
          .paper = wants_paper_accounting(options)};
}

std::vector<Note> notes(const Instances& instances, const Patches& c, int64_t network_macs) {
  return {note::Patches{.down = c.grid.down,
                        .across = c.grid.across,
                        .rows = c.grid.rows,
                        .columns = c.grid.columns,
                        .last = instances.instance(c.split.stage.instances.back()).op,
                        .split = instances.value(c.split.stage.split).tensor,
                        .recomputed_macs = c.recomputed_macs,
                        .stage_macs = c.split.stage_macs,
                        .network_macs = network_macs},
          note::PatchBytes{.stage_bytes = c.stage_bytes(),
                           .input_bytes = c.input_bytes,
                           .slice_bytes = c.slice_bytes,
                           .split_bytes = c.split_bytes,
                           .split_over_inputs = c.split.under.has_value(),
                           .rest_bytes = c.split.rest.peak_bytes}};
}

std::string cause(const std::string& last, const Patches& c) {
  if (c.stage_bytes() < c.split.rest.peak_bytes) {
    return fmt::format("the operators behind the patches, split behind {}, need {} B", last,
                       c.split.rest.peak_bytes);
  }
  return fmt::format(
      "with {} x {} patches, split behind {}, a patch needs {} B: inputs {}, split tensor {}, "
      "slices {}",
      c.grid.down, c.grid.across, last, c.stage_bytes(), c.input_bytes, c.split_bytes,
      c.slice_bytes);
}

/// Throws where what the user has fixed leaves nothing.
void expect_choice(const PatchSearch& search, const PatchWishes& wishes) {
  if (search.best()) return;
  if (search.least_ratio()) {
    throw CompileError("--max-recompute",
                       fmt::format("these patches recompute more; the least that works is {:.4f}",
                                   std::ceil(*search.least_ratio() * 1e4) / 1e4));
  }
  if (const std::string why = search.refusal(); !why.empty()) {
    throw CompileError(kWhere,
                       wishes.split ? why : "there is nothing to execute in patches: " + why);
  }
  throw CompileError(kWhere, fmt::format("no operator of the network has the number {} (`thimble "
                                         "inspect` lists them)",
                                         wishes.split.value_or(0)));
}

PlannerDecision fit(Decision planned, const Limits& limits, int64_t peak_bytes,
                    const std::string& why) {
  if (!limits.sram_bytes || peak_bytes <= *limits.sram_bytes) return planned;
  return Infeasible{.lower_bound_bytes = planned.lower_bound_bytes, .reason = why};
}

}  // namespace

PlannerDecision plan_patch(const Graph& graph, const Limits& limits,
                           const PlannerOptions& options) {
  const PatchWishes wished = wishes(options);
  const AxisGraph axes(graph);
  const Instances instances = instances_of(graph, limits.ports);
  const Dataflow dataflow(axes, instances);
  const OrderProblem problem = order_problem(graph, instances, limits.in_place);
  PatchSearch search(dataflow, problem, limits, wished);
  search.run();
  const bool may_be_whole = !wished.patches && !wished.split;
  if (!may_be_whole) expect_choice(search, wished);
  const std::optional<Patches>& best = search.best();
  int64_t bound = search.bound_bytes().value_or(INT64_MAX);
  if (late(limits.time)) bound = 0;  // not all was looked at
  OrderPlanOptions how{.in_place = limits.in_place};
  if (may_be_whole) {
    const Order order = reorder(problem, kOrderStates, limits.time);
    how.peak_bytes = order.peak_bytes;
    bound = std::min(bound, order.lower_bound_bytes);
    if (!best || order.peak_bytes <= std::max(best->peak_bytes(), limits.sram_bytes.value_or(0))) {
      Plan plan = order_plan(dataflow, problem, order.ops, how);
      Decision planned{.plan = std::move(plan),
                       .notes = {note::NoPatches{}},
                       .lower_bound_bytes = bound,
                       .proven_optimal = order.peak_bytes == bound};
      return fit(std::move(planned), limits, order.peak_bytes,
                 fmt::format("whole operators in the best order need {} B, and no patches less",
                             order.peak_bytes));
    }
  }
  how.peak_bytes = best->peak_bytes();
  std::vector<int> order;
  for (const InstanceCall& call : calls({Member{best->group}}))
    order.push_back(call.instance.value);
  OrderPiece patches{
      .begin = 0, .end = static_cast<int>(order.size()), .members = {Member{best->group}}};
  order.insert(order.end(), best->split.rest.ops.begin(), best->split.rest.ops.end());
  Plan plan = order_plan(dataflow, problem, order, how, {std::move(patches)});
  if (best->split.under) plan.overlaps.push_back({best->split.stage.split, *best->split.under});
  Decision planned{.plan = std::move(plan),
                   .notes = notes(instances, *best, search.network_macs()),
                   .lower_bound_bytes = bound,
                   .proven_optimal = best->peak_bytes() == bound};
  return fit(std::move(planned), limits, best->peak_bytes(),
             cause(best->last(graph, instances), *best));
}

}  // namespace thimble
