// SPDX-License-Identifier: Apache-2.0
#include "tests/report/reported_plan.h"

#include "thimble/operators/operators.h"
#include "thimble/planners/registry.h"
#include "zoo/zoo.h"

namespace thimble::testing {

PlanReport ReportedPlan::report() const {
  return {.graph = graph,
          .plan = plan,
          .model = "model",
          .live_bytes = live_bytes(graph, plan.schedule),
          .notes = {},
          .macs = macs(graph, plan.schedule),
          .recomputed_macs = macs(graph, plan.schedule) - macs(graph),
          .sram_limit_bytes = {},
          .flash_limit_bytes = {}};
}

ReportedPlan placed(const HandWritten& written) {
  PlacedPlan plan{.planner = "by hand", .schedule = written.schedule, .placement = {}};
  plan.placement = place(written.graph, plan.schedule, {});
  return {written.graph, plan};
}

ReportedPlan planned(Graph graph, const std::string& planner) {
  const PlannerChoice choice = choose_planner(planner);
  const auto answer = std::get<Planned>(choice.planner->plan(graph, {}, choice.options));
  PlacedPlan plan{.planner = planner, .schedule = answer.schedule(), .placement = {}};
  plan.placement = place(graph, plan.schedule, {});
  return {std::move(graph), plan};
}

ReportedPlan planned(const std::string& network, const std::string& planner) {
  return planned(build_zoo(network), planner);
}

}  // namespace thimble::testing
