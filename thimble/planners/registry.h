// SPDX-License-Identifier: Apache-2.0
// All planners, and the choice of one by its name.
#pragma once

#include <string>
#include <vector>

#include "thimble/planners/planner.h"

namespace thimble {

/// In the order of DESIGN.md; the last is the default: the best there is.
[[nodiscard]] const std::vector<Planner>& planners();

struct PlannerChoice {
  const Planner* planner = nullptr;
  PlannerOptions options;
};
/// "reorder:states=100000". Throws CompileError that lists planners or options.
[[nodiscard]] PlannerChoice choose_planner(const std::string& spec);

}  // namespace thimble
