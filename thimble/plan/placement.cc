// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/placement.h"

#include <algorithm>

#include "thimble/schedule/shared_bytes.h"

namespace thimble {
namespace {

/// The buffers that have bytes, and for each of all its number among them; -1: none.
struct Kept {
  layout::Problem problem;
  std::vector<int> number;
};

Kept kept(const layout::Problem& problem) {
  Kept result{.problem = {}, .number = std::vector<int>(problem.buffers.size(), -1)};
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

layout::Problem layout_problem(const Graph& graph, const Schedule& schedule, bool alignment_1) {
  layout::Problem problem;
  const std::vector<LiveRange> lives = live_ranges(schedule);
  for (size_t b = 0; b < schedule.buffers.size(); ++b) {
    const Buffer& buffer = schedule.buffers[b];
    // A buffer that nothing touches still needs a place if it is a port.
    const layout::Life life{lives[b].begin, std::max(lives[b].end, lives[b].begin + 1)};
    const bool resident = buffer.place == Place::kResident;
    problem.buffers.push_back({.size_bytes = resident ? buffer.size_bytes() : 0,
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
  const auto [problem, number] = kept(layout_problem(graph, schedule, false));
  layout::Problem unaligned = problem;
  for (layout::Buffer& buffer : unaligned.buffers) buffer.alignment = 1;
  const layout::Solution solution =
      options.method == LayoutMethod::kExact
          ? layout::exact(problem,
                          {.work = options.work, .good_enough_bytes = {}, .time = options.time})
          : layout::greedy_by_size(problem);
  std::vector<int64_t> addresses;
  for (const int n : number)
    addresses.push_back(n < 0 ? 0 : solution.addresses[static_cast<size_t>(n)]);
  return {.addresses = std::move(addresses),
          .peak_bytes = layout::lower_bound_bytes(unaligned),
          .lower_bound_bytes = solution.lower_bound_bytes,
          .arena_bytes = solution.arena_bytes,
          .proven_optimal = solution.proven_optimal};
}

std::vector<int64_t> live_bytes(const Graph& graph, const Schedule& schedule) {
  const layout::Problem problem = layout_problem(graph, schedule, true);
  Position steps = 0;
  for_each_step(schedule, [&](const Step&, Position position) { steps = position + 1; });
  return layout::live_bounds(problem, steps);
}

}  // namespace thimble
