// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "thimble/analysis/overlaps.h"
#include "thimble/model/error.h"
#include "thimble/moves/patches.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/build.h"
#include "thimble/plan/evaluate.h"
#include "thimble/plan/group_lead.h"
#include "thimble/plan/order_plan.h"
#include "thimble/plan/order_problem.h"

namespace thimble {
namespace {

constexpr const char* kWhere = "--planner";
constexpr int64_t kMostStates = 100'000;  // per stage and grid; chains need none

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
  for (int64_t patches = 2; patches <= std::max(split[kRowAxis], split[kColumnAxis]); ++patches) {
    const PatchGrid grid = patch_grid(split, patches);
    if (result.empty() || result.back() != grid) result.push_back(grid);
  }
  return result;
}

/// The best order of these instances only, as the problem numbers them.
Order order_of(const OrderProblem& problem, const std::vector<int>& instances,
               const std::vector<int>& outputs) {
  if (instances.empty()) return {.ops = {}, .proven_optimal = true};
  std::vector<bool> made(problem.size_bytes.size()), used(problem.size_bytes.size());
  OrderProblem part{.size_bytes = problem.size_bytes, .inputs = {}, .outputs = outputs, .ops = {}};
  for (const int id : instances) {
    part.ops.push_back(problem.ops[static_cast<size_t>(id)]);
    for (const int v : part.ops.back().inputs) used[static_cast<size_t>(v)] = true;
    for (const int v : part.ops.back().outputs) made[static_cast<size_t>(v)] = true;
  }
  for (const int v : outputs) used[static_cast<size_t>(v)] = true;
  for (size_t v = 0; v < used.size(); ++v) {
    if (used[v] && !made[v]) part.inputs.push_back(static_cast<int>(v));
  }
  Order order = reorder(part, kMostStates);
  for (int& id : order.ops) id = instances[static_cast<size_t>(id)];
  return order;
}

/// A stage, and what follows it whatever the patches are.
struct Split {
  PatchStage stage;
  Order rest;                    ///< of the instances behind the stage
  std::optional<ValueId> under;  ///< input in whose bytes the split value may lie
  int64_t stage_macs = 0;        ///< of whole operators
};

/// A split, in patches, and what it costs.
struct Patches {
  Split split;
  PatchGrid grid;
  Group group;
  int64_t slice_bytes = 0, least_slice_bytes = 0;  ///< in the order of the group; in any
  int64_t input_bytes = 0;                         ///< of all inputs of the network
  int64_t split_bytes = 0;      ///< of the split value, if it lies over an input: beyond that
  int64_t recomputed_macs = 0;  ///< less than 0 where patches leave out what nobody reads

  [[nodiscard]] int64_t stage_bytes() const { return input_bytes + split_bytes + slice_bytes; }
  [[nodiscard]] int64_t peak_bytes() const {
    return std::max(stage_bytes(), split.rest.peak_bytes);
  }
  [[nodiscard]] int64_t bound_bytes() const {
    return std::max(input_bytes + split_bytes + least_slice_bytes, split.rest.lower_bound_bytes);
  }
  [[nodiscard]] std::string last(const Graph& graph, const Instances& instances) const {
    return label(graph.op(instances.instance(split.stage.instances.back()).op));
  }
};

/// All that the planner could answer, and the best of it.
class PatchSearch {
 public:
  PatchSearch(const Dataflow& dataflow, const OrderProblem& problem, const Limits& limits,
              const Wishes& wishes)
      : flow_(dataflow),
        graph_(dataflow.graph),
        problem_(problem),
        limits_(limits),
        wishes_(wishes),
        network_macs_(macs(graph_)) {}

  void run() {
    for (size_t k = 0; k < flow_.instances.list.size(); ++k) {
      if (best_ && late(limits_.time)) return;
      const OpId op = flow_.instances.list[k].op;
      if (!wishes_.split || (op.valid() && graph_.op(op).file_index == *wishes_.split))
        try_split({static_cast<int32_t>(k)});
    }
  }

  [[nodiscard]] const std::optional<Patches>& best() const { return best_; }
  /// Of all that was looked at, and allowed.
  [[nodiscard]] std::optional<int64_t> bound_bytes() const { return bound_bytes_; }
  [[nodiscard]] int64_t network_macs() const { return network_macs_; }
  /// Why the last split that was tried is none; empty if there were any.
  [[nodiscard]] std::string refusal() const {
    if (!refused_) return "";
    const auto stage = stage_up_to(flow_, *refused_);
    const auto* why = std::get_if<std::string>(&stage);
    const OpId op = flow_.instances.instance(*refused_).op;
    return fmt::format(
        "the network cannot be split behind {}: {}", label(graph_.op(op)),
        why != nullptr ? *why : patches_fault(flow_, std::get<PatchStage>(stage), refused_grid_));
  }
  /// Least ratio of recomputed MACs among those that were more than allowed.
  [[nodiscard]] std::optional<double> least_ratio() const { return least_ratio_; }

 private:
  void try_split(InstanceId last) {
    auto stage = stage_up_to(flow_, last);
    if (std::holds_alternative<std::string>(stage)) {
      refused_ = last;
      return;
    }
    std::optional<Split> split;
    for (const PatchGrid& grid :
         grids(flow_.shape(flow_.instances.instance(last).makes), wishes_)) {
      const auto& instances = std::get<PatchStage>(stage).instances;
      if (best_ && late(limits_.time)) return;
      Group group = in_patches(std::get<PatchStage>(stage), instances, grid);
      std::optional<Derived> derived = derive(flow_, group);
      if (!derived) {
        refused_ = last;
        refused_grid_ = grid;
        continue;
      }
      // The rest takes its time to be put in order: only if there are patches.
      if (!split) split = split_at(std::get<PatchStage>(stage));
      if (best_ && split->rest.peak_bytes > worth_bytes(*best_) &&
          split->rest.lower_bound_bytes >= *bound_bytes_)
        return;
      weigh(*split, grid, std::move(group), std::move(*derived));
    }
  }

  [[nodiscard]] Split split_at(const PatchStage& stage) const {
    Split split{.stage = stage, .rest = {}, .under = {}};
    std::vector<int> rest;
    for (size_t k = 0; k < problem_.ops.size(); ++k) {
      if (!stage.inside[k]) rest.push_back(static_cast<int>(k));
    }
    split.rest = order_of(problem_, rest, problem_.outputs);
    if (limits_.in_place && !wishes_.paper) split.under = input_under(stage);
    for (const InstanceId id : stage.instances)
      split.stage_macs += macs(graph_, graph_.op(flow_.instances.instance(id).op));
    return split;
  }

  /// The largest input that nothing behind the stage needs.
  [[nodiscard]] std::optional<ValueId> input_under(const PatchStage& stage) const {
    std::optional<ValueId> best;
    for (const ValueId v : flow_.instances.inputs) {
      const bool inside = std::ranges::all_of(flow_.readers[v.index()], [&](InstanceId reader) {
        return stage.inside[reader.index()];
      });
      const bool row_major = flow_.instances.value(v).axis_order.empty();
      if (!inside || !row_major || flow_.is_output[v.index()] || flow_.size_bytes(v) == 0) continue;
      if (!best || flow_.size_bytes(v) > flow_.size_bytes(*best)) best = v;
    }
    return best;
  }

  /// The order of the stage's instances in which their slices need the least.
  [[nodiscard]] Order stage_order(const Split& split, const Derived& derived) const {
    OrderProblem sliced = problem_;
    std::vector<int> instances;
    for (const InstanceId id : split.stage.instances) {
      instances.push_back(id.value);
      sliced.ops[id.index()].in_place.clear();
    }
    for (const Storage& storage : derived.storages)
      sliced.size_bytes[storage.value.index()] = storage.buffer.size_bytes();
    for (const ValueId v : flow_.instances.inputs) sliced.size_bytes[v.index()] = 0;  // held anyway
    sliced.size_bytes[split.stage.split.index()] = 0;
    return order_of(sliced, instances, {split.stage.split.value});
  }

  void weigh(const Split& split, const PatchGrid& grid, Group group, Derived derived) {
    const int64_t recomputed_macs = work(flow_, derived).macs - split.stage_macs;
    const double ratio = static_cast<double>(recomputed_macs) /
                         static_cast<double>(std::max<int64_t>(network_macs_, 1));
    if (limits_.max_recompute && ratio > *limits_.max_recompute) {
      least_ratio_ = std::min(least_ratio_.value_or(ratio), ratio);
      return;
    }
    // First as if nothing but a working set were needed, and the split value were as far over the
    // input as can be.
    Patches choice{.split = split, .grid = grid};
    choice.slice_bytes = choice.least_slice_bytes = largest_working_set(derived);
    choice.recomputed_macs = recomputed_macs;
    for (const ValueId v : flow_.instances.inputs) choice.input_bytes += flow_.size_bytes(v);
    const int64_t own = flow_.size_bytes(split.stage.split);
    choice.split_bytes =
        split.under ? std::max<int64_t>(0, own - flow_.size_bytes(*split.under)) : own;
    if (!matters(choice)) return;
    const Order order = stage_order(split, derived);
    std::vector<InstanceId> instances;
    for (const int id : order.ops) instances.push_back({id});
    if (instances != split.stage.instances) {
      group = in_patches(split.stage, instances, grid);
      derived = derive(flow_, group).value();
    }
    choice.group = std::move(group);
    choice.slice_bytes = group_bytes(flow_, derived).inner;
    choice.least_slice_bytes = order.lower_bound_bytes;
    if (!matters(choice)) return;
    if (split.under) choice.split_bytes = bytes_beyond_input(choice, own);
    bound_bytes_ = std::min(bound_bytes_.value_or(INT64_MAX), choice.bound_bytes());
    if (better(choice)) best_ = std::move(choice);
  }

  /// Largest sum of the slices that one call touches, and its scratch: no order needs less.
  [[nodiscard]] int64_t largest_working_set(const Derived& derived) const {
    int64_t most = 0;
    for (const DerivedStep& step : derived.steps) {
      const std::span<const ValueId> read = flow_.read_by(step.call);
      std::vector<ValueId> touched(read.begin(), read.end());
      touched.push_back(flow_.made_by(step.call));
      std::ranges::sort(touched);
      touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
      int64_t bytes = flow_.scratch_bytes(step.call);
      for (const ValueId v : touched) {
        const int storage = derived.storage_of(v);
        if (storage >= 0)
          bytes += derived.storages[static_cast<size_t>(storage)].buffer.size_bytes();
      }
      most = std::max(most, bytes);
    }
    return most;
  }

  /// Whether it may be the best, or lower the bound.
  [[nodiscard]] bool matters(const Patches& choice) const {
    return better(choice) || !bound_bytes_ || choice.bound_bytes() < *bound_bytes_;
  }
  /// What fits fits: below the budget fewer bytes are worth nothing.
  [[nodiscard]] int64_t worth_bytes(const Patches& choice) const {
    return std::max(choice.peak_bytes(), limits_.sram_bytes.value_or(0));
  }
  [[nodiscard]] bool better(const Patches& choice) const {
    const auto worth = [&](const Patches& c) {
      return std::tuple(worth_bytes(c), c.recomputed_macs, c.grid.down * c.grid.across);
    };
    return !best_ || worth(choice) < worth(*best_);
  }

  /// Bytes of the split value beyond those that it takes of an input while patches are executed.
  [[nodiscard]] int64_t bytes_beyond_input(const Patches& choice, int64_t own) const {
    const ValueId under = *choice.split.under;
    const Plan plan{.instances = flow_.instances,
                    .members = {Member{choice.group}},
                    .overlaps = {{choice.split.stage.split, under}},
                    .accumulators = {}};
    const std::vector<Overlap> found = overlaps(graph_, build(flow_, plan));
    if (found.empty() || !found[0].lead_bytes) return own;
    const int64_t lead = *found[0].lead_bytes;
    return own - std::max<int64_t>(overlap_bytes(own, flow_.size_bytes(under), lead), 0);
  }

  const Dataflow& flow_;
  const Graph& graph_;
  const OrderProblem& problem_;
  const Limits& limits_;
  const Wishes wishes_;
  int64_t network_macs_;
  std::optional<Patches> best_;
  std::optional<int64_t> bound_bytes_;
  std::optional<double> least_ratio_;
  std::optional<InstanceId> refused_;
  PatchGrid refused_grid_;
};

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
void expect_choice(const PatchSearch& search, const Wishes& wishes) {
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
  const Wishes wished = wishes(options);
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
