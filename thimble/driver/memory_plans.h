// SPDX-License-Identifier: Apache-2.0
// Plans of one planner in more and more of a device's memories, compared by time.
//
//   mobilenet_v2, arena 96 KiB, SDRAM 8 MiB at 4 cycles a byte: millions of cycles
//   arena alone                          does not fit
//   within the sum, spread over both     276.3, of which the core waits for 17.6
//   arena without the ports, spread      264.7, of which it waits for 4.4           (taken)
#pragma once

#include <functional>
#include <vector>

#include "thimble/planners/registry.h"

namespace thimble {

/// A planner's answer, and what it was planned within.
struct AnswerWithin {
  PlannerAnswer answer;
  Limits limits;
};

/// In the first of the memories, the arena alone; then, as long as none fits, or one may be faster
/// by a hundredth than the best so far, in each further one, which has more. The last try plans the
/// arena as if the ports had another place, and then gives them one. The least time is taken, with
/// what the core waits for slow memories; none that fits: what the arena alone answers, unless that
/// is that it cannot. go_on is asked between tries.
[[nodiscard]] AnswerWithin planned_in_memories(const PlannerChoice& choice, const Graph& graph,
                                               const Limits& limits,
                                               std::vector<UsableMemories> memories,
                                               const std::function<bool()>& go_on);

}  // namespace thimble
