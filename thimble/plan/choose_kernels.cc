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
    visit_node(
        node, [&](Step& step) { visit(step); }, [&](Loop& loop) { each_step(loop.body, visit); });
  }
}

// Without a limit on SRAM the arena may grow by one of so many parts for kernels' scratch
// (docs/kernels.md, Scratch).
constexpr int64_t kScratchShare = 8;

class Choice {
 public:
  Choice(const Graph& graph, const Schedule& schedule, const Core& core, const KernelRoom& room,
         const AvoidedKernels& avoided)
      : graph_(graph),
        core_(core),
        room_(room),
        avoided_(avoided),
        fits_(graph, schedule),
        live_bytes_(live_bytes(graph, schedule)) {}

  /// The kernel, and the bytes of scratch that it gets.
  Candidate of(const Step& step, Position position) {
    if (!step.op.valid()) return {};
    const int64_t room = room_.live_bytes - live_bytes_[static_cast<size_t>(position)];
    for (const KernelUse& use : fits_.uses_of(step.op, step.method)) {
      const CallExtents most = extents(step.op, step.region, use);
      const bool slice = most.channels < extents(step.op, {}, use).channels;
      for (Candidate candidate : candidates(use, core_)) {
        if (candidate.kernel == use.kernel || avoided_.contains({position, candidate.kernel}))
          continue;
        if (slice && most.channels < info(candidate.kernel).channel_multiple) continue;
        const bool any = info(candidate.kernel).scratch_within != nullptr;
        const auto scratch = scratch_within(candidate.kernel, use, most,
                                            any ? std::min(room, room_.scratch_bytes) : room);
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
  // What each execution of a region computes at most; the empty one: everything.
  [[nodiscard]] CallExtents extents(OpId op, const RegionExpr& region, const KernelUse& use) const {
    const Shape& shape = graph_.tensor(graph_.op(op).outputs[0]).shape;
    const auto along = [&](size_t axis) {
      const std::vector<int>& merged = use.out.axes[use.out.axes.size() - kKernelAxes + axis];
      int64_t most = 1;
      for (const int k : merged) most *= extent(region, shape, static_cast<size_t>(k));
      return most;
    };
    return {.rows = along(1), .columns = along(2), .channels = along(3)};
  }
  [[nodiscard]] static int64_t extent(const RegionExpr& region, const Shape& shape, size_t axis) {
    if (region.empty()) return shape[axis];
    const IndexExpr& begin = region[axis].begin;
    const IndexExpr& end = region[axis].end;
    if (begin.terms != end.terms || begin.divisor != end.divisor) return shape[axis];
    return std::min(shape[axis], ceil_div(end.base - begin.base, end.divisor));
  }

  const Graph& graph_;
  const Core& core_;
  KernelRoom room_;
  const AvoidedKernels& avoided_;
  KernelFits fits_;
  std::vector<int64_t> live_bytes_;
};

}  // namespace

bool names_kernels(const Schedule& schedule) {
  bool found = false;
  for_each_step(schedule, [&](const Step& step, Position) { found |= step.kernel.valid(); });
  return found;
}

Schedule with_kernels(const Graph& graph, Schedule schedule, const Core& core,
                      const KernelRoom& room, const AvoidedKernels& avoided) {
  std::vector<Candidate> choices;
  {
    Choice choice(graph, schedule, core, room, avoided);
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
    // A step has its scratch for itself.
    if (step.scratch.valid()) {
      Buffer& buffer = schedule.buffers[step.scratch.index()];
      buffer.type = given.type;
      buffer.extents = {given.size_bytes / size_bytes(given.type)};
    } else if (given.size_bytes > 0) {
      step.scratch = add_scratch(schedule, given);
    }
  });
  return schedule;
}

PlacedSchedule place_with_kernels(const Graph& graph, Schedule schedule, const Core& core,
                                  std::optional<int64_t> sram_bytes,
                                  const PlacementOptions& options, const AvoidedKernels& avoided) {
  Placement portable = place(graph, schedule, options);
  const int64_t arena = portable.arena_bytes();
  const int64_t limit = std::max(arena, sram_bytes.value_or(arena + arena / kScratchShare));
  // Alignment and holes may want some of the room that live bytes leave: first of the scratch that
  // kernels can do without, as each of these does nearly as well with less.
  constexpr int64_t kLeast = 1024;
  for (const auto& [percent, scratch] :
       std::initializer_list<std::pair<int64_t, int64_t>>{{100, limit},
                                                          {100, 4 * kLeast},
                                                          {100, 2 * kLeast},
                                                          {100, kLeast},
                                                          {95, kLeast},
                                                          {85, kLeast},
                                                          {70, kLeast},
                                                          {40, kLeast}}) {
    Schedule changed =
        with_kernels(graph, schedule, core,
                     {.live_bytes = limit * percent / 100, .scratch_bytes = scratch}, avoided);
    if (!names_kernels(changed)) break;
    Placement placement = place(graph, changed, options);
    if (placement.arena_bytes() <= limit) return {std::move(changed), std::move(placement)};
  }
  return {std::move(schedule), std::move(portable)};
}

}  // namespace thimble
