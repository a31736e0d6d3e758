// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/layout_problems.h"

#include <algorithm>

#include "thimble/plan/close_states.h"
#include "thimble/schedule/records.h"

namespace thimble {

LayoutProblems::LayoutProblems(const Graph& graph, const Schedule& schedule, const KernelUses& uses)
    : schedule_(schedule),
      lives_(live_ranges(schedule)),
      overlaps_(overlaps(graph, schedule, uses)) {}

layout::Problem LayoutProblems::problem_of(MemoryId memory, const std::vector<MemoryId>& where,
                                           bool alignment_1) const {
  layout::Problem problem;
  const std::vector<int64_t> in_image = image_addresses(schedule_);
  Position steps = 0;
  for (const LiveRange& life : lives_) steps = std::max(steps, life.end);
  std::optional<size_t> last_of_image;
  for (size_t b = 0; b < schedule_.buffers.size(); ++b) {
    const Buffer& buffer = schedule_.buffers[b];
    // A buffer that nothing touches still needs a place if it is a port.
    const layout::Life life{lives_[b].begin, std::max(lives_[b].end, lives_[b].begin + 1)};
    const std::optional<BlockStorage>& storage = schedule_.memory(buffer.memory).storage;
    const bool is_here = where[b] == memory;
    const int64_t alignment = storage ? storage->write_bytes : size_bytes(buffer.type);
    problem.buffers.push_back({.size_bytes = is_here ? placed_bytes(schedule_, buffer) : 0,
                               .alignment = alignment_1 || !is_here ? 1 : alignment,
                               .lives = {life},
                               .address = std::nullopt});
    if (in_image[b] < 0 || !is_here) continue;
    layout::Buffer& fixed = problem.buffers.back();
    fixed.lives = {{0, std::max(steps, 1)}};
    fixed.alignment = 1;
    fixed.address = in_image[b];
    last_of_image = b;
  }
  // No block of it is erased.
  if (last_of_image)
    problem.buffers[*last_of_image].size_bytes =
        image_bytes(schedule_, memory) - in_image[*last_of_image];
  // The two values of a variable are one buffer, over which nothing else may lie.
  std::vector<bool> is_state(schedule_.buffers.size());
  for (const StateBuffers& state : schedule_.states) {
    is_state[state.in.index()] = is_state[state.out.index()] = true;
    layout::Buffer& kept = problem.buffers[state.in.index()];
    kept.lives.clear();
    for (const LiveRange& life : joined_lives(lives_[state.in.index()], lives_[state.out.index()]))
      kept.lives.push_back({life.begin, std::max(life.end, life.begin + 1)});
    problem.buffers[state.out.index()].size_bytes = 0;
  }
  for (const Overlap& overlap : overlaps_) {
    if (is_state[overlap.out.index()] || is_state[overlap.in.index()]) continue;
    problem.overlaps.push_back({.out = overlap.out.value,
                                .in = overlap.in.value,
                                .lead_bytes = overlap.lead_bytes,
                                .same_address = overlap.same_address});
  }
  return problem;
}

std::vector<MemoryId> memories_of_buffers(const Schedule& schedule) {
  std::vector<MemoryId> result;
  for (const Buffer& buffer : schedule.buffers) result.push_back(buffer.memory);
  return result;
}

}  // namespace thimble
