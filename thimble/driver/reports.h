// SPDX-License-Identifier: Apache-2.0
// A compilation as what the reports print. Both refer to it.
#pragma once

#include <string>
#include <vector>

#include "thimble/driver/driver.h"
#include "thimble/program/estimate.h"
#include "thimble/report/compile_report.h"
#include "thimble/report/plan_report.h"

namespace thimble {

/// What the planner has to say, and of lossy sums.
[[nodiscard]] std::vector<std::string> note_lines(const Compiled& compiled);
/// On the core, or a Cortex-M4 without one; nothing if it has no latency model.
[[nodiscard]] std::optional<CoreEstimate> estimate_of(const Compiled& compiled);
[[nodiscard]] CompileReport compile_report(const Compiled& compiled);
[[nodiscard]] PlanReport plan_report(const Compiled& compiled);

}  // namespace thimble
