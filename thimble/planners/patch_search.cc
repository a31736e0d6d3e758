// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/patch_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "thimble/analysis/overlaps.h"
#include "thimble/plan/build.h"
#include "thimble/plan/evaluate.h"
#include "thimble/plan/group_lead.h"
#include "thimble/search/order.h"

namespace thimble {
namespace {

constexpr int64_t kMostStates = 100'000;  // per stage and grid; chains need none

/// Grids with so many patches along each axis, those that differ.
std::vector<PatchGrid> grids(const Shape& split, const PatchWishes& wishes) {
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

}  // namespace

void PatchSearch::run() {
  for (size_t k = 0; k < flow_.instances.list.size(); ++k) {
    if (best_ && late(limits_.time)) return;
    const OpId op = flow_.instances.list[k].op;
    if (!wishes_.split || (op.valid() && graph_.op(op).file_index == *wishes_.split))
      try_split({static_cast<int32_t>(k)});
  }
}

std::string PatchSearch::refusal() const {
  if (!refused_) return "";
  const auto stage = stage_up_to(flow_, *refused_);
  const auto* why = std::get_if<std::string>(&stage);
  const OpId op = flow_.instances.instance(*refused_).op;
  return fmt::format(
      "the network cannot be split behind {}: {}", label(graph_.op(op)),
      why != nullptr ? *why : patches_fault(flow_, std::get<PatchStage>(stage), refused_grid_));
}

void PatchSearch::try_split(InstanceId last) {
  auto stage = stage_up_to(flow_, last);
  if (std::holds_alternative<std::string>(stage)) {
    refused_ = last;
    return;
  }
  std::optional<PatchSplit> split;
  for (const PatchGrid& grid : grids(flow_.shape(flow_.instances.instance(last).makes), wishes_)) {
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

PatchSplit PatchSearch::split_at(const PatchStage& stage) const {
  PatchSplit split{.stage = stage, .rest = {}, .under = {}};
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

std::optional<ValueId> PatchSearch::input_under(const PatchStage& stage) const {
  std::optional<ValueId> best;
  for (const ValueId v : flow_.instances.inputs) {
    const bool inside = std::ranges::all_of(
        flow_.readers[v.index()], [&](InstanceId reader) { return stage.inside[reader.index()]; });
    const bool row_major = flow_.instances.value(v).axis_order.empty();
    if (!inside || !row_major || flow_.is_output[v.index()] || flow_.size_bytes(v) == 0) continue;
    if (!best || flow_.size_bytes(v) > flow_.size_bytes(*best)) best = v;
  }
  return best;
}

Order PatchSearch::stage_order(const PatchSplit& split, const Derived& derived) const {
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

void PatchSearch::weigh(const PatchSplit& split, const PatchGrid& grid, Group group,
                        Derived derived) {
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

int64_t PatchSearch::largest_working_set(const Derived& derived) const {
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
      if (storage >= 0) bytes += derived.storages[static_cast<size_t>(storage)].buffer.size_bytes();
    }
    most = std::max(most, bytes);
  }
  return most;
}

bool PatchSearch::better(const Patches& choice) const {
  const auto worth = [&](const Patches& c) {
    return std::tuple(worth_bytes(c), c.recomputed_macs, c.grid.down * c.grid.across);
  };
  return !best_ || worth(choice) < worth(*best_);
}

int64_t PatchSearch::bytes_beyond_input(const Patches& choice, int64_t own) const {
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

}  // namespace thimble
