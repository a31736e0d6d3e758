// SPDX-License-Identifier: Apache-2.0
// Plans to be printed: the hand-written schedules, placed, and those of planners on the zoo.
#pragma once

#include "tests/support/hand_written.h"
#include "thimble/report/plan_report.h"

namespace thimble::testing {

struct ReportedPlan {
  Graph graph;
  PlacedPlan plan;

  /// Refers to this.
  [[nodiscard]] PlanReport report() const;
};

[[nodiscard]] ReportedPlan placed(const HandWritten& written);
[[nodiscard]] ReportedPlan planned(Graph graph, const std::string& planner);
/// The plan of a network of the zoo.
[[nodiscard]] ReportedPlan planned(const std::string& network, const std::string& planner);

}  // namespace thimble::testing
