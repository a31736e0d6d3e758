// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/tinyseg.h"

#include <algorithm>
#include <map>

#include "thimble/moves/spill.h"
#include "thimble/plan/derive.h"
#include "thimble/plan/order_plan.h"
#include "thimble/plan/order_problem.h"
#include "thimble/planners/tinyseg_spills.h"
#include "thimble/search/order.h"

namespace thimble {
namespace {

/// What the algorithms spill, as values of instances: of a tensor that is cold several times, what
/// was written once is fetched as often.
std::vector<Spill> spills_of(const Graph& graph, const Instances& instances,
                             const tinyseg::SpilledList& spilled) {
  std::map<TensorId, std::vector<OpId>> fetched_before;
  for (const tinyseg::SpillStep& step : spilled.steps)
    fetched_before[step.spill.tensor].push_back(step.spill.before);
  const std::vector<std::vector<InstanceId>> all_readers = readers(instances);
  std::vector<Spill> result;
  for (auto& [tensor, before] : fetched_before) {
    const ValueId value{tensor.value};
    if (instances.value(value).memory != kArena || graph.tensor(tensor).is_constant()) continue;
    std::ranges::sort(before);
    Spill spill{.value = value, .fetched_for = {}, .axis_order = instances.value(value).axis_order};
    size_t fetches = 0;
    for (const InstanceId reader : all_readers[value.index()]) {
      const OpId op = instances.instance(reader).op;
      if (!op.valid()) continue;
      size_t begun = 0;
      while (begun < before.size() && before[begun] <= op) ++begun;
      if (begun == 0) continue;
      if (begun > fetches) spill.fetched_for.emplace_back();
      fetches = begun;
      spill.fetched_for.back().push_back(reader);
    }
    if (!spill.fetched_for.empty()) result.push_back(std::move(spill));
  }
  return result;
}

/// Fetching, concatenation and convolution a row at a time, where they follow one another.
std::vector<OrderPiece> fused(const Dataflow& flow, const tinyseg::SpilledList& spilled) {
  const std::vector<Instance>& list = flow.instances.list;
  const auto joins = [&](size_t k, auto part) {
    return k < list.size() && list[k].op.valid() &&
           std::ranges::any_of(spilled.steps, [&](const tinyseg::SpillStep& step) {
             return step.spill.*part == list[k].op;
           });
  };
  std::vector<OrderPiece> pieces;
  for (size_t k = 0; k < list.size(); ++k) {
    if (!flow.instances.fetches(list[k]) || !joins(k + 1, &tinyseg::Spill::concat)) continue;
    const size_t end = joins(k + 2, &tinyseg::Spill::conv) ? k + 3 : k + 2;
    Group group{.loop = {.paced = list[end - 1].makes,
                         .axis = 1,
                         .step = 1,
                         .border = Border::kRoll,
                         .others = {},
                         .alongside = {}},
                .members = {}};
    for (size_t m = k; m < end; ++m)
      group.members.push_back({InstanceCall{.instance = {static_cast<int32_t>(m)}}});
    if (!derive(flow, group)) continue;
    pieces.push_back({static_cast<int>(k), static_cast<int>(end), {{std::move(group)}}});
    k = end - 1;
  }
  return pieces;
}

ScheduleMemory any_storage() {
  return {.name = "storage",
          .kind = MemoryKind::kBlockStorage,
          .storage = BlockStorage{.most_in_flight = 2}};
}

}  // namespace

PlannerDecision plan_tinyseg(const Graph& graph, const Limits& limits,
                             const PlannerOptions& options) {
  const int64_t target =
      number_option(options, "target", 0).value_or(limits.sram_bytes.value_or(0));
  const tinyseg::SpilledList spilled =
      tinyseg::spill(tinyseg::list_of(graph, 0), {.target_bytes = target});
  Instances instances = instances_of(graph, limits.ports);
  const ScheduleMemory storage = limits.storage.value_or(any_storage());
  std::vector<Spill> spills = spills_of(graph, instances, spilled);
  for (Spill& one : spills)
    one.chunk_bytes =
        chunk_of(graph, instances, one, storage.storage->write_bytes, limits.storage_chunk_bytes);
  instances = spill(instances, spills, kFirstFurtherMemory);
  const AxisGraph axes(graph);
  const Dataflow flow(axes, instances);
  const OrderProblem problem = order_problem(graph, instances, limits.in_place);
  const Order order = original_order(problem);
  Decision result{.plan = order_plan(flow, problem, order.ops,
                                     {.in_place = limits.in_place, .peak_bytes = order.peak_bytes},
                                     fused(flow, spilled)),
                  .notes = {},
                  .lower_bound_bytes = spills.empty() ? order.lower_bound_bytes : 0,
                  .proven_optimal = spills.empty() && order.proven_optimal};
  if (spills.empty()) return result;
  result.plan.memories.push_back(storage);
  result.notes.emplace_back(thimble::spilled(graph, instances, storage.name));
  return result;
}

}  // namespace thimble
