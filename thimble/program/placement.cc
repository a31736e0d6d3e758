// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/placement.h"

#include <algorithm>

#include "thimble/schedule/shared_bytes.h"

namespace thimble {

layout::Problem layout_problem(const Graph& graph, const Schedule& schedule, bool alignment_1) {
  layout::Problem problem;
  const std::vector<LiveRange> lives = live_ranges(schedule);
  for (size_t b = 0; b < schedule.buffers.size(); ++b) {
    const Buffer& buffer = schedule.buffers[b];
    // A buffer that nothing touches still needs a place if it is a port.
    const layout::Life life{lives[b].begin, std::max(lives[b].end, lives[b].begin + 1)};
    problem.buffers.push_back({.size_bytes = buffer.size_bytes(),
                               .alignment = alignment_1 ? 1 : size_bytes(buffer.type),
                               .lives = {life},
                               .address = std::nullopt});
  }
  for (const SharedBytes& shared : shared_bytes(graph, schedule)) {
    problem.overlaps.push_back({.out = shared.out.value,
                                .in = shared.in.value,
                                .lead_bytes = shared.lead_bytes,
                                .same_address = shared.same_address});
  }
  return problem;
}

Placement place(const Graph& graph, const Schedule& schedule, const PlacementOptions& options) {
  const layout::Problem problem = layout_problem(graph, schedule, false);
  layout::Problem unaligned = problem;
  for (layout::Buffer& buffer : unaligned.buffers) buffer.alignment = 1;
  const layout::Solution solution =
      options.method == LayoutMethod::kExact
          ? layout::exact(problem, {.seconds = options.seconds, .good_enough_bytes = std::nullopt})
          : layout::greedy_by_size(problem);
  return {.addresses = solution.addresses,
          .peak_bytes = layout::lower_bound_bytes(unaligned),
          .lower_bound_bytes = solution.lower_bound_bytes,
          .arena_bytes = solution.arena_bytes,
          .proven_optimal = solution.proven_optimal};
}

std::vector<int64_t> live_bytes(const Graph& graph, const Schedule& schedule) {
  const layout::Problem problem = layout_problem(graph, schedule, true);
  Position steps = 0;
  for_each_step(schedule, [&](const Step&, Position position) { steps = position + 1; });
  std::vector<int64_t> result;
  for (Position at = 0; at < steps; ++at) {
    layout::Problem now;
    std::vector<int> number(problem.buffers.size(), -1);
    for (size_t b = 0; b < problem.buffers.size(); ++b) {
      const layout::Life& life = problem.buffers[b].lives[0];
      if (life.begin > at || life.end <= at) continue;
      number[b] = static_cast<int>(now.buffers.size());
      now.buffers.push_back(problem.buffers[b]);
      now.buffers.back().lives = {{0, 1}};
    }
    for (layout::Overlap overlap : problem.overlaps) {
      overlap.out = number[static_cast<size_t>(overlap.out)];
      overlap.in = number[static_cast<size_t>(overlap.in)];
      if (overlap.out >= 0 && overlap.in >= 0) now.overlaps.push_back(overlap);
    }
    result.push_back(layout::lower_bound_bytes(now));
  }
  return result;
}

}  // namespace thimble
