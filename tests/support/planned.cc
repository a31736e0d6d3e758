// SPDX-License-Identifier: Apache-2.0
#include "tests/support/planned.h"

namespace thimble::testing {

PlannerAnswer planned_by(Decide decide, const Graph& graph, const Limits& limits,
                         const PlannerOptions& options) {
  PlannerDecision answer = decide(graph, limits, options);
  if (auto* no = std::get_if<Infeasible>(&answer)) return *no;
  return finished(graph, limits, std::get<Decision>(std::move(answer)));
}

}  // namespace thimble::testing
