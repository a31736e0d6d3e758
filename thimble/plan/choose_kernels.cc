// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/choose_kernels.h"

#include <algorithm>
#include <functional>

#include "thimble/model/division.h"
#include "thimble/schedule/kernel_fit.h"

namespace thimble {
namespace {

void each_step(std::vector<Node>& nodes, const std::function<void(Step&)>& visit) {
  for (Node& node : nodes) {
    if (auto* step = std::get_if<Step>(&node.what)) {
      visit(*step);
    } else {
      each_step(std::get<Loop>(node.what).body, visit);
    }
  }
}

class Choice {
 public:
  Choice(const Graph& graph, const Schedule& schedule, const Core& core, int64_t room_bytes)
      : graph_(graph),
        core_(core),
        room_bytes_(room_bytes),
        fits_(graph, schedule),
        live_bytes_(live_bytes(graph, schedule)) {}

  /// The kernel, and the bytes of scratch that it gets.
  Candidate of(const Step& step, Position position) {
    if (!step.op.valid()) return {};
    const int64_t room = room_bytes_ - live_bytes_[static_cast<size_t>(position)];
    for (const KernelUse& use : fits_.uses_of(step.op, step.method)) {
      const CallExtents most = extents(step, use);
      for (Candidate candidate : candidates(use, core_)) {
        if (candidate.kernel == use.kernel) continue;
        if (most.channels < info(candidate.kernel).channel_multiple) continue;
        const auto scratch = scratch_within(candidate.kernel, use, most, room);
        if (!scratch) continue;
        candidate.scratch_bytes = *scratch;
        Step changed = step;
        changed.kernel = candidate.kernel;
        if (fits_.fault(changed).empty()) return candidate;
      }
    }
    return {};
  }

 private:
  // What each execution computes at most.
  [[nodiscard]] CallExtents extents(const Step& step, const KernelUse& use) const {
    const Shape& shape = graph_.tensor(graph_.op(step.op).outputs[0]).shape;
    const auto along = [&](size_t axis) {
      const std::vector<int>& merged = use.out.axes[use.out.axes.size() - kKernelAxes + axis];
      int64_t most = 1;
      for (const int k : merged) most *= extent(step, shape, static_cast<size_t>(k));
      return most;
    };
    return {.rows = along(1), .columns = along(2), .channels = along(3)};
  }
  [[nodiscard]] static int64_t extent(const Step& step, const Shape& shape, size_t axis) {
    if (step.region.empty()) return shape[axis];
    const IndexExpr& begin = step.region[axis].begin;
    const IndexExpr& end = step.region[axis].end;
    if (begin.terms != end.terms || begin.divisor != end.divisor) return shape[axis];
    return std::min(shape[axis], ceil_div(end.base - begin.base, end.divisor));
  }

  const Graph& graph_;
  const Core& core_;
  int64_t room_bytes_;
  KernelFits fits_;
  std::vector<int64_t> live_bytes_;
};

bool names_kernels(const Schedule& schedule) {
  bool found = false;
  for_each_step(schedule, [&](const Step& step, Position) { found |= step.kernel.valid(); });
  return found;
}

}  // namespace

Schedule with_kernels(const Graph& graph, Schedule schedule, const Core& core, int64_t room_bytes) {
  std::vector<Candidate> choices;
  {
    Choice choice(graph, schedule, core, room_bytes);
    for_each_step(schedule, [&](const Step& step, Position position) {
      choices.push_back(choice.of(step, position));
    });
  }
  size_t position = 0;
  each_step(schedule.nodes, [&](Step& step) {
    const Candidate& chosen = choices[position++];
    if (!chosen.kernel.valid()) return;
    step.kernel = chosen.kernel;
    Scratch given = scratch(graph, graph.op(step.op), step.method, step.kernel);
    given.size_bytes = std::max(given.size_bytes, chosen.scratch_bytes);
    step.scratch = given.size_bytes > 0 ? add_scratch(schedule, given) : BufferId{};
  });
  return schedule;
}

PlacedSchedule place_with_kernels(const Graph& graph, Schedule schedule, const Core& core,
                                  std::optional<int64_t> sram_bytes,
                                  const PlacementOptions& options) {
  Placement portable = place(graph, schedule, options);
  const int64_t limit = std::max(portable.arena_bytes(), sram_bytes.value_or(0));
  // Alignment and holes may want some of the room that live bytes leave.
  for (const int64_t percent : {100, 95, 85, 70, 40}) {
    Schedule changed = with_kernels(graph, schedule, core, limit * percent / 100);
    if (!names_kernels(changed)) break;
    Placement placement = place(graph, changed, options);
    if (placement.arena_bytes() <= limit) return {std::move(changed), std::move(placement)};
  }
  return {std::move(schedule), std::move(portable)};
}

}  // namespace thimble
