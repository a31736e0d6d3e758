// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/auto.h"

#include <algorithm>

#include "thimble/operators/operators.h"
#include "thimble/plan/placement.h"
#include "thimble/planners/patch.h"
#include "thimble/planners/pex.h"
#include "thimble/planners/ports.h"
#include "thimble/planners/stream.h"

namespace thimble {
namespace {

/// Plans are compared by layouts that are quick, but the same on every machine.
constexpr int64_t kQuickLayoutWork = layout::kSearchWork / 5;

class AutoSearch {
 public:
  /// Both must outlive it.
  AutoSearch(const Graph& graph, const Limits& limits) : graph_(graph), limits_(limits) {}

  void add(Planned planned) {
    place_ports(planned.schedule, limits_.ports);
    const int64_t arena =
        place(graph_, planned.schedule, {.work = kQuickLayoutWork, .time = limits_.time})
            .arena_bytes();
    const int64_t executed = macs(graph_, planned.schedule);
    found_.push_back({std::move(planned.schedule), std::move(planned.notes), arena,
                      static_cast<double>(executed), executed - macs(graph_)});
  }

  PlannerAnswer answer() {
    std::ranges::stable_sort(
        found_, {}, [](const FrontPoint& p) { return std::pair(p.arena_bytes, p.instructions); });
    double fastest = std::numeric_limits<double>::infinity();
    std::vector<FrontPoint> front;
    for (FrontPoint& point : found_) {
      if (point.instructions >= fastest) continue;
      fastest = point.instructions;
      front.push_back(std::move(point));
    }
    const double slowest = fastest * limits_.max_latency;
    const auto in_time = [&](const FrontPoint& p) { return p.instructions <= slowest; };
    const auto smallest = std::ranges::find_if(front, in_time);
    auto chosen = smallest;
    for (auto p = smallest; p != front.end(); ++p) {
      if (limits_.sram_bytes && p->arena_bytes <= *limits_.sram_bytes) chosen = p;
    }
    Planned planned{.schedule = chosen->schedule, .notes = chosen->notes};
    planned.front = std::move(front);
    return planned;
  }

 private:
  const Graph& graph_;
  const Limits& limits_;
  std::vector<FrontPoint> found_;
};

}  // namespace

PlannerAnswer plan_auto(const Graph& graph, const Limits& limits, const PlannerOptions&) {
  AutoSearch search(graph, limits);
  const bool streamed =
      limits.ports.input == Place::kStreamed || limits.ports.output == Place::kStreamed;
  for (const Planner& planner : planners()) {
    if (planner.make == plan_auto || (streamed && !planner.streams)) continue;
    PlannerAnswer answer = planner.make(graph, limits, {});
    if (auto* planned = std::get_if<Planned>(&answer)) search.add(std::move(*planned));
  }
  return search.answer();
}

}  // namespace thimble
