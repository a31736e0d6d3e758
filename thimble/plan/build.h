// SPDX-License-Identifier: Apache-2.0
// The schedule of a plan: the only writer of schedules there is.
#pragma once

#include "thimble/plan/derive.h"

namespace thimble {

/// Every group must have a derivation, as `derive` says. A call outside of groups computes all of
/// its tensor; a copy from or to a stream stands in a group.
[[nodiscard]] Schedule build(const Dataflow& dataflow, const Plan& plan);
/// build() with the plan's own instances.
[[nodiscard]] Schedule build(const Graph& graph, const Plan& plan);
/// The schedule of a plan that names none, with these kernels: scratch lies behind the other
/// buffers.
[[nodiscard]] Schedule with_kernels(const Dataflow& dataflow, Schedule schedule,
                                    const std::vector<StepKernel>& kernels);
/// The schedule of a plan without residences, in the memories of the plan.
[[nodiscard]] Schedule with_residences(Schedule schedule, const Plan& plan);
/// Whether every group has a derivation.
[[nodiscard]] bool has_derivations(const Dataflow& dataflow, const Plan& plan);

}  // namespace thimble
