// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/brought_note.h"

#include <algorithm>
#include <set>

#include "thimble/schedule/records.h"

namespace thimble {

std::optional<note::BroughtConstants> brought_constants(const Graph& graph,
                                                        const RealisedPlan& plan) {
  const Schedule& schedule = plan.schedule;
  note::BroughtConstants result{.of = std::ssize(graph.ops)};
  for (size_t m = 0; m < schedule.memories.size(); ++m) {
    const int64_t bytes = image_bytes(schedule, {static_cast<int32_t>(m)});
    result.image_bytes += bytes;
    if (bytes > 0) result.storage = schedule.memories[m].name;
  }
  if (result.image_bytes == 0) return std::nullopt;
  std::set<OpId> ops;
  for_each_step(schedule, [&](const Step& step, Position) {
    if (step.constants.valid()) ops.insert(step.op);
  });
  result.ops = std::ssize(ops);
  result.read_bytes = moved_records(schedule).constants;
  if (plan.instructions > 0) result.wait_share = plan.wait_cycles / plan.instructions;
  return result;
}

}  // namespace thimble
