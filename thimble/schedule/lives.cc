// SPDX-License-Identifier: Apache-2.0
#include "thimble/schedule/lives.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace thimble {
namespace {

using LoopSteps = StepUses::LoopSteps;

/// Whether the origin is another one in each iteration; floor(i / 2) carries data into the next.
bool follows(const Buffer& buffer, LoopId loop) {
  return std::any_of(buffer.origin.begin(), buffer.origin.end(), [&](const IndexExpr& expr) {
    return std::any_of(expr.terms.begin(), expr.terms.end(), [&](const Term& term) {
      return term.loop == loop && std::abs(term.coefficient) >= expr.divisor;
    });
  });
}

bool inside(const LiveRange& inner, const LiveRange& outer) {
  return outer.begin <= inner.begin && inner.end <= outer.end;
}

/// New in each iteration of a loop inside `outer`, and used nowhere else: nothing survives until
/// the next iteration of `outer`.
bool renewed_within(const Buffer& buffer, const LiveRange& range, const LoopSteps& outer,
                    const std::vector<LoopSteps>& loops) {
  for (size_t l = 0; l < loops.size(); ++l) {
    if (loops[l].depth > outer.depth && inside(loops[l].steps, outer.steps) &&
        inside(range, loops[l].steps) && follows(buffer, {static_cast<int32_t>(l)})) {
      return true;
    }
  }
  return false;
}

bool touches(const LiveRange& a, const LiveRange& b) { return a.begin < b.end && b.begin < a.end; }

void collect(const Schedule& schedule, const std::vector<Node>& nodes, int depth, StepUses& uses) {
  for (const Node& node : nodes) {
    visit_node(
        node,
        [&](const Step& step) {
          std::vector<BufferId>& touched = uses.touched.emplace_back(read_buffers(step));
          touched.push_back(step.out);
          touched.push_back(step.scratch);
          touched.push_back(step.passage);
          const bool begins = step.transfer == TransferPart::kBegin;
          if (step.passage.valid()) uses.passages.try_emplace(step.passage, begins);
          for (const BufferId id : {step.out, step.constants})
            if (id.valid() && schedule.buffer(id).packed.valid())
              uses.passages.try_emplace(id, begins);
        },
        [&](const Loop& loop) {
          const auto first = static_cast<Position>(uses.touched.size());
          collect(schedule, loop.body, depth + 1, uses);
          const auto end = static_cast<Position>(uses.touched.size());
          uses.loops[loop.id.index()] = {{first, end}, depth};
        });
  }
}

}  // namespace

std::vector<LiveRange> lives(const StepUses& uses, const std::vector<Buffer>& buffers) {
  std::vector<LiveRange> ranges(buffers.size());
  std::vector<bool> used(buffers.size());
  const auto extend = [&](BufferId id, Position begin, Position end) {
    if (!id.valid()) return;
    LiveRange& range = ranges[id.index()];
    range.begin = used[id.index()] ? std::min(range.begin, begin) : begin;
    range.end = used[id.index()] ? std::max(range.end, end) : end;
    used[id.index()] = true;
  };
  const auto steps = static_cast<Position>(uses.touched.size());
  for (Position position = 0; position < steps; ++position) {
    for (const BufferId id : uses.touched[static_cast<size_t>(position)])
      extend(id, position, position + 1);
  }
  for (const BufferId id : uses.from_start) extend(id, 0, 0);
  for (const BufferId id : uses.to_end) extend(id, steps, steps);
  for (bool changed = true; changed;) {  // inner loops first or not: until nothing grows
    changed = false;
    for (size_t b = 0; b < ranges.size(); ++b) {
      // Scratch dies with its step; tags of a transfer have several.
      if (!buffers[b].tensor.valid() && ranges[b].end - ranges[b].begin <= 1) continue;
      // Nothing is on its way through a passage as an iteration ends that began by beginning it.
      const auto passage = uses.passages.find({static_cast<int32_t>(b)});
      const bool passes = passage != uses.passages.end() && passage->second;
      for (size_t l = 0; l < uses.loops.size(); ++l) {
        const LiveRange& around = uses.loops[l].steps;
        if (passes && inside(ranges[b], around)) continue;
        if (!touches(ranges[b], around) || inside(around, ranges[b]) ||
            follows(buffers[b], {static_cast<int32_t>(l)}) ||
            renewed_within(buffers[b], ranges[b], uses.loops[l], uses.loops))
          continue;
        ranges[b].begin = std::min(ranges[b].begin, around.begin);
        ranges[b].end = std::max(ranges[b].end, around.end);
        changed = true;
      }
    }
  }
  return ranges;
}

std::vector<LiveRange> live_ranges(const Schedule& schedule) {
  StepUses uses;
  uses.loops.resize(static_cast<size_t>(schedule.loop_count));
  collect(schedule, schedule.nodes, 0, uses);
  const auto there_always = [&](BufferId id) { return schedule.buffer(id).memory != kStream; };
  std::ranges::copy_if(schedule.inputs, std::back_inserter(uses.from_start), there_always);
  std::ranges::copy_if(schedule.outputs, std::back_inserter(uses.to_end), there_always);
  for (const StateBuffers& state : schedule.states) {
    uses.from_start.push_back(state.in);
    uses.to_end.push_back(state.out);
  }
  return lives(uses, schedule.buffers);
}

}  // namespace thimble
