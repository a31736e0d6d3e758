// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/cut_order.h"

#include <algorithm>

namespace thimble {

CutOrder::CutOrder(const AxisGraph& some_axes, const PortPlaces& ports)
    : graph(some_axes.graph()),
      axes(some_axes),
      base(instances_of(graph, ports)),
      flow(axes, base),
      problem(order_problem(graph, base, false)),
      order(original_order(problem).ops),
      bytes(problem, order) {
  const Lives& lives = bytes.lives();
  const auto count = static_cast<int>(order.size());
  for (int p = 0; p <= count; ++p) {
    std::vector<ValueId> live;
    for (size_t v = 0; v < base.values.size(); ++v) {
      if (flow.is_constant({static_cast<int32_t>(v)})) continue;
      if (lives.made[v] < p && lives.last_read[v] >= p) live.push_back({static_cast<int32_t>(v)});
    }
    if (p == 0 || p == count || live.size() == 1) {
      cuts.push_back(p);
      values.push_back(live.size() == 1 && p > 0 && p < count ? live[0] : ValueId{});
    }
  }
}

int CutOrder::next_cut(int cut) const { return *std::ranges::upper_bound(cuts, cut); }

ValueId CutOrder::value_at(int cut) const {
  return values[static_cast<size_t>(std::ranges::find(cuts, cut) - cuts.begin())];
}

bool CutOrder::can_store(int cut) const {
  const ValueId value = value_at(cut);
  return value.valid() && base.value(value).memory == kArena && !flow.is_output[value.index()];
}

int64_t CutOrder::around(int begin, int end, bool fetches, bool stores) const {
  int64_t sum = bytes.held(begin);
  if (fetches) sum -= bytes.size(value_at(begin));
  const ValueId behind = value_at(end);
  if (!stores && behind.valid()) sum += bytes.size(behind);
  if (end == static_cast<int>(order.size())) {
    for (const ValueId out : base.outputs) sum += bytes.size(out);
  }
  return sum;
}

Instances CutOrder::spilling(const std::vector<ValueId>& stored) const {
  std::vector<Spill> spills;
  for (const ValueId value : stored)
    spills.push_back(
        {.value = value, .fetched_for = {flow.readers[value.index()]}, .axis_order = {}});
  return spills.empty() ? base : spill(base, spills, kFirstFurtherMemory);
}

}  // namespace thimble
