// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/placement.h"

#include <algorithm>

#include "thimble/model/division.h"
#include "thimble/plan/layout_problems.h"
#include "thimble/schedule/records.h"

namespace thimble {
namespace {

/// The buffers that have bytes, and for each of all its number among them; -1: none.
struct NonEmpty {
  layout::Problem problem;
  std::vector<int> number;
};

NonEmpty non_empty(const layout::Problem& problem) {
  NonEmpty result{.problem = {}, .number = std::vector<int>(problem.buffers.size(), -1)};
  for (size_t b = 0; b < problem.buffers.size(); ++b) {
    if (problem.buffers[b].size_bytes == 0) continue;
    result.number[b] = static_cast<int>(result.problem.buffers.size());
    result.problem.buffers.push_back(problem.buffers[b]);
  }
  for (layout::Overlap overlap : problem.overlaps) {
    overlap.out = result.number[static_cast<size_t>(overlap.out)];
    overlap.in = result.number[static_cast<size_t>(overlap.in)];
    if (overlap.out >= 0 && overlap.in >= 0) result.problem.overlaps.push_back(overlap);
  }
  return result;
}

}  // namespace

MemoryPlacement lay_out(const layout::Problem& all, const PlacementOptions& options,
                        std::vector<int64_t>& addresses) {
  const auto [problem, number] = non_empty(all);
  if (problem.buffers.empty()) return {.proven_optimal = true};
  layout::Problem unaligned = problem;
  for (layout::Buffer& buffer : unaligned.buffers) buffer.alignment = 1;
  const layout::Solution solution =
      options.method == LayoutMethod::kExact
          ? layout::exact(problem,
                          {.work = options.work, .good_enough_bytes = {}, .time = options.time})
          : layout::greedy_by_size(problem);
  for (size_t b = 0; b < number.size(); ++b) {
    if (number[b] >= 0) addresses[b] = solution.addresses[static_cast<size_t>(number[b])];
  }
  return {.peak_bytes = layout::lower_bound_bytes(unaligned),
          .lower_bound_bytes = solution.lower_bound_bytes,
          .size_bytes = solution.arena_bytes,
          .proven_optimal = solution.proven_optimal};
}

layout::Problem layout_problem(const Graph& graph, const Schedule& schedule, bool alignment_1,
                               MemoryId memory) {
  return LayoutProblems(graph, schedule, KernelUses(graph))
      .problem_of(memory, memories_of_buffers(schedule), alignment_1);
}

Placement place(const Graph& graph, const Schedule& schedule, const PlacementOptions& options) {
  const KernelUses own(graph);
  const LayoutProblems problems(graph, schedule, options.uses == nullptr ? own : *options.uses);
  const std::vector<MemoryId> where = memories_of_buffers(schedule);
  Placement result{.addresses = std::vector<int64_t>(schedule.buffers.size()), .memories = {}};
  for (size_t m = 0; m < schedule.memories.size(); ++m) {
    const MemoryId memory{static_cast<int32_t>(m)};
    result.memories.push_back(
        is_laid_out(memory)
            ? lay_out(problems.problem_of(memory, where, false), options, result.addresses)
            : MemoryPlacement{});
  }
  for (const StateBuffers& state : schedule.states)
    result.addresses[state.out.index()] = result.addresses[state.in.index()];
  return result;
}

Placement placement_at(const Schedule& schedule, std::vector<int64_t> addresses) {
  Placement result{.addresses = std::move(addresses),
                   .memories = std::vector<MemoryPlacement>(schedule.memories.size())};
  for (size_t b = 0; b < schedule.buffers.size(); ++b) {
    const Buffer& buffer = schedule.buffers[b];
    if (!is_laid_out(buffer.memory)) continue;
    int64_t& size_bytes = result.memories[buffer.memory.index()].size_bytes;
    size_bytes = std::max(size_bytes, result.addresses[b] + placed_bytes(schedule, buffer));
  }
  for (size_t m = 0; m < schedule.memories.size(); ++m) {
    int64_t& size_bytes = result.memories[m].size_bytes;
    size_bytes = std::max(size_bytes, image_bytes(schedule, {static_cast<int32_t>(m)}));
  }
  return result;
}

std::vector<MemoryId> Placement::in_use() const {
  std::vector<MemoryId> result;
  for (size_t m = 0; m < memories.size(); ++m) {
    const MemoryId id{static_cast<int32_t>(m)};
    if (id == kArena || memories[m].size_bytes > 0) result.push_back(id);
  }
  return result;
}

int64_t bytes_taken(const ScheduleMemory& memory, const MemoryPlacement& placement) {
  const int64_t block = memory.storage ? memory.storage->erase_bytes : 0;
  return block == 0 ? placement.size_bytes : ceil_div(placement.size_bytes, block) * block;
}

std::optional<MemoryId> beyond_capacity(const Schedule& schedule, const Placement& placement) {
  for (size_t m = 0; m < schedule.memories.size(); ++m) {
    const MemoryId id{static_cast<int32_t>(m)};
    const std::optional<int64_t> capacity = schedule.memories[m].capacity_bytes;
    if (capacity && bytes_taken(schedule.memories[m], placement.memory(id)) > *capacity) return id;
  }
  return std::nullopt;
}

std::vector<int64_t> live_bytes(const Graph& graph, const Schedule& schedule, MemoryId memory,
                                const KernelUses* uses) {
  const KernelUses own(graph);
  const layout::Problem problem = LayoutProblems(graph, schedule, uses == nullptr ? own : *uses)
                                      .problem_of(memory, memories_of_buffers(schedule), true);
  Position steps = 0;
  for_each_step(schedule, [&](const Step&, Position position) { steps = position + 1; });
  return layout::live_bounds(problem, steps);
}

}  // namespace thimble
