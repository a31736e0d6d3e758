// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/resident_first.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "thimble/analysis/span.h"

namespace thimble {
namespace {

/// Axes of the output along which the operand has rows, too.
int followed_axes(const Graph& graph, const Spans& spans, OpId id, size_t operand) {
  const Shape& out = graph.tensor(graph.op(id).outputs[0]).shape;
  int count = 0;
  for (size_t axis = 0; axis + 1 < out.size(); ++axis) {
    const bool several = out[axis] > 1;
    count += several && spans.rows(id, operand, static_cast<int>(axis)) != nullptr ? 1 : 0;
  }
  return count;
}

/// What must stand before each operator, in the order in which to make it.
struct Wanted {
  std::vector<std::vector<OpId>> before;
  bool differ = false;  ///< some operands follow less than others
};
Wanted wanted_by(const Graph& graph) {
  const Spans spans(graph);
  const std::vector<OpId> producer = producers(graph);
  Wanted result;
  for (size_t o = 0; o < graph.ops.size(); ++o) {
    const OpId id{static_cast<int32_t>(o)};
    std::vector<std::pair<int, OpId>> wanted;
    for (size_t k = 0; k < graph.op(id).inputs.size(); ++k) {
      const OpId from = producer[graph.op(id).inputs[k].index()];
      if (from.valid()) wanted.emplace_back(followed_axes(graph, spans, id, k), from);
    }
    std::ranges::stable_sort(wanted, {}, &std::pair<int, OpId>::first);
    std::vector<OpId>& ops = result.before.emplace_back();
    result.differ = result.differ || (!wanted.empty() && wanted[0].first != wanted.back().first);
    for (const auto& [axes, from] : wanted) ops.push_back(from);
  }
  return result;
}

}  // namespace

std::vector<int> resident_first_order(const Graph& graph) {
  const Wanted wanted = wanted_by(graph);
  std::vector<int> order;
  if (!wanted.differ) {
    order.resize(graph.ops.size());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  const std::vector<OpId> producer = producers(graph);
  std::vector<OpId> roots;
  for (const Port& port : graph.outputs) {
    if (producer[port.tensor.index()].valid()) roots.push_back(producer[port.tensor.index()]);
  }
  for (size_t o = 0; o < graph.ops.size(); ++o) roots.push_back({static_cast<int32_t>(o)});
  std::vector<bool> begun(graph.ops.size(), false);
  struct Visit {
    OpId op;
    size_t next = 0;  ///< of what must stand before it
  };
  std::vector<Visit> path;
  const auto begin = [&](OpId op) {
    if (begun[op.index()]) return;
    begun[op.index()] = true;
    path.push_back({op});
  };
  for (const OpId root : roots) {
    begin(root);
    while (!path.empty()) {
      Visit& visit = path.back();
      const std::vector<OpId>& before = wanted.before[visit.op.index()];
      if (visit.next < before.size()) {
        begin(before[visit.next++]);
        continue;
      }
      order.push_back(visit.op.value);
      path.pop_back();
    }
  }
  return order;
}

}  // namespace thimble
