// SPDX-License-Identifier: Apache-2.0
// Plans of one planner in more and more of a device's memories, compared by time.
//
//   arena 96 KiB, psram 8 MiB           fits    cycles
//   arena alone                         no           -
//   within the sum, spread over both    yes    276.3 M, 17.6 M of them waited for psram
//   arena without the ports, spread     yes    279.9 M,  1.6 M                       (not taken)
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
