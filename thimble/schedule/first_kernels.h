// SPDX-License-Identifier: Apache-2.0
// Fast kernels of schedules that no plan stands behind: those by hand, and samples that latency
// models are fitted to, which no model may choose.
#pragma once

#include "thimble/schedule/schedule.h"
#include "thimble/target/core.h"

namespace thimble {

/// Each step with the first of the core's kernels that takes it, and all the scratch that this can
/// use. The schedule names none.
[[nodiscard]] Schedule with_first_kernels(const Graph& graph, Schedule schedule, const Core& core);

}  // namespace thimble
