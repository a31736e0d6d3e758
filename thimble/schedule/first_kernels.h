// SPDX-License-Identifier: Apache-2.0
// Fast kernels of schedules that no plan stands behind: those by hand, and samples that latency
// models are fitted to, which no model may choose.
#pragma once

#include <functional>

#include "thimble/schedule/schedule.h"
#include "thimble/target/core.h"

namespace thimble {

/// Bytes of scratch between the fewest that a step's kernel can do with and all that it can use.
using ScratchDraw = std::function<int64_t(int64_t least, int64_t all)>;

/// Each step with the first of the core's kernels that takes it, and as much scratch as is drawn;
/// null: all that this can use. The schedule names none.
[[nodiscard]] Schedule with_first_kernels(const Graph& graph, Schedule schedule, const Core& core,
                                          const ScratchDraw& draw = nullptr);

}  // namespace thimble
