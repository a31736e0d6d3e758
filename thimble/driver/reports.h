// SPDX-License-Identifier: Apache-2.0
// A compilation as what the reports print. Both refer to it.
#pragma once

#include <string>
#include <vector>

#include "thimble/driver/compiled.h"
#include "thimble/program/estimate.h"
#include "thimble/program/explain.h"
#include "thimble/report/compile_report.h"
#include "thimble/report/plan_report.h"

namespace thimble {

/// What the planner has to say, and of lossy sums.
[[nodiscard]] std::vector<std::string> note_lines(const Compiled& compiled);
/// On the core, or on a Cortex-M4 where none is named; nothing for a core without a latency model.
[[nodiscard]] std::optional<CoreEstimate> estimate_of(const Compiled& compiled);
/// This estimate by counted instructions, whatever a board measured: emitted code has it.
[[nodiscard]] std::optional<CoreEstimate> counted_estimate(const Compiled& compiled);
/// Kernel by kernel, on the same core.
[[nodiscard]] std::vector<KernelChoice> kernel_choices(const Compiled& compiled);
[[nodiscard]] CompileReport compile_report(const Compiled& compiled);
/// What a report begins with. imported: the graph before it was prepared.
[[nodiscard]] std::vector<Warning> warnings_of(const Graph& imported, const Compiled& compiled);
/// The verdict with what was measured in place of estimates.
[[nodiscard]] Verdict measured_verdict(Verdict verdict, const MeasuredCost& cost);
[[nodiscard]] PlanReport plan_report(const Compiled& compiled);

/// Which memory is too small for a plan that does not fit.
[[nodiscard]] std::string shortage(const Compiled& compiled);

}  // namespace thimble
