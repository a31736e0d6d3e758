// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/resident_first.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace thimble {
namespace {

/// Axes of the output along which the operand has rows, too.
int followed_axes(const AxisGraph& axes, OpId id, size_t operand) {
  const Graph& graph = axes.graph();
  const Shape& out = graph.tensor(graph.op(id).outputs[0]).shape;
  int count = 0;
  for (size_t axis = 0; axis + 1 < out.size(); ++axis) {
    const bool several = out[axis] > 1;
    count += several && axes.connection(id, operand, static_cast<int>(axis)) != nullptr ? 1 : 0;
  }
  return count;
}

/// What must stand before each instance, in the order in which to make it.
struct Wanted {
  std::vector<std::vector<InstanceId>> before;
  bool differ = false;  ///< some operands follow less than others
};
Wanted wanted_by(const AxisGraph& axes, const Instances& instances,
                 const std::vector<InstanceId>& maker) {
  Wanted result;
  for (const Instance& instance : instances.list) {
    std::vector<std::pair<int, InstanceId>> wanted;
    for (size_t k = 0; k < instance.reads.size(); ++k) {
      const InstanceId from = maker[instance.reads[k].index()];
      const bool copy = !instance.op.valid();
      if (from.valid()) wanted.emplace_back(copy ? 0 : followed_axes(axes, instance.op, k), from);
    }
    std::ranges::stable_sort(wanted, {}, &std::pair<int, InstanceId>::first);
    std::vector<InstanceId>& before = result.before.emplace_back();
    result.differ = result.differ || (!wanted.empty() && wanted[0].first != wanted.back().first);
    for (const auto& [followed, from] : wanted) before.push_back(from);
  }
  return result;
}

/// Where to begin: copies in front, what makes the outputs' tensors, everything else.
std::vector<InstanceId> roots_of(const Graph& graph, const Instances& instances,
                                 const std::vector<InstanceId>& maker) {
  std::vector<InstanceId> all;
  for (size_t k = 0; k < instances.list.size(); ++k) all.push_back({static_cast<int32_t>(k)});
  const auto is_copy = [&](InstanceId id) { return !instances.instance(id).op.valid(); };
  std::vector<InstanceId> result(all.begin(), std::ranges::find_if_not(all, is_copy));
  for (const Port& port : graph.outputs) {
    if (maker[port.tensor.index()].valid()) result.push_back(maker[port.tensor.index()]);
  }
  result.insert(result.end(), all.begin(), all.end());
  return result;
}

}  // namespace

std::vector<int> resident_first_order(const AxisGraph& axes, const Instances& instances) {
  const std::vector<InstanceId> maker = makers(instances);
  const Wanted wanted = wanted_by(axes, instances, maker);
  std::vector<int> order;
  if (!wanted.differ) {
    order.resize(instances.list.size());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  std::vector<bool> begun(instances.list.size(), false);
  struct Visit {
    InstanceId instance;
    size_t next = 0;  ///< of what must stand before it
  };
  std::vector<Visit> path;
  const auto begin = [&](InstanceId instance) {
    if (begun[instance.index()]) return;
    begun[instance.index()] = true;
    path.push_back({instance});
  };
  for (const InstanceId root : roots_of(axes.graph(), instances, maker)) {
    begin(root);
    while (!path.empty()) {
      Visit& visit = path.back();
      const std::vector<InstanceId>& before = wanted.before[visit.instance.index()];
      if (visit.next < before.size()) {
        begin(before[visit.next++]);
        continue;
      }
      order.push_back(visit.instance.value);
      path.pop_back();
    }
  }
  return order;
}

}  // namespace thimble
