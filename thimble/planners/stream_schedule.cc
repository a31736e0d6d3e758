// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/stream_schedule.h"

#include <algorithm>

#include "thimble/planners/cut_schedule.h"
#include "thimble/planners/execution.h"
#include "thimble/planners/whole_operators.h"

namespace thimble {
namespace {

BufferId buffer_of(const Schedule& schedule, TensorId t) {
  const auto it = std::ranges::find(schedule.buffers, t, &Buffer::tensor);
  return {static_cast<int32_t>(it - schedule.buffers.begin())};
}

void share(Schedule& schedule, TensorId out, TensorId in) {
  const Share share{buffer_of(schedule, out), buffer_of(schedule, in)};
  if (std::ranges::find(schedule.shares, share) == schedule.shares.end())
    schedule.shares.push_back(share);
}

/// A loop over ticks.
Node span_node(const Graph& graph, const StreamSpan& placed, const std::vector<Step>& steps,
               Schedule& schedule) {
  const LoopId loop{schedule.loop_count++};
  Loop result{loop, placed.span.ticks, {}};
  for (const SpanMember& member : placed.span.members) {
    Step step = *std::ranges::find(steps, member.op, &Step::op);
    step.region = along(graph.tensor(member.out).shape, kRowAxis, member.beat.interval(loop));
    if (member.ring > 0) {
      Buffer& ring = schedule.buffers[step.out.index()];
      ring.extents[kRowAxis] = member.ring;
      ring.wrap = Wrap{kRowAxis, member.ring};
    }
    result.body.push_back({std::move(step)});
  }
  if (placed.out.valid()) share(schedule, placed.out, placed.under);
  return {std::move(result)};
}

/// Single operators may write over inputs that they are the last to read.
void share_consumed_inputs(const Graph& graph, const OrderProblem& problem,
                           const std::vector<int>& order, const std::vector<bool>& in_piece,
                           Schedule& schedule) {
  std::vector<int> last_read(problem.size_bytes.size(), -1);
  for (size_t at = 0; at < order.size(); ++at) {
    for (const int t : problem.ops[index(order[at])].inputs) {
      last_read[index(t)] = static_cast<int>(at);
    }
  }
  for (const int t : problem.outputs) last_read[index(t)] = static_cast<int>(order.size());
  for (size_t at = 0; at < order.size(); ++at) {
    if (in_piece[at]) continue;
    const OpId op{order[at]};
    for (const InputLead& lead : input_leads(graph, op)) {
      if (last_read[lead.input.index()] == static_cast<int>(at))
        share(schedule, graph.op(op).outputs[0], lead.input);
    }
  }
}

}  // namespace

Schedule stream_schedule(const Graph& graph, const OrderProblem& problem, const StreamPlan& plan,
                         bool in_place) {
  std::vector<PieceWriter> pieces;
  for (const PlacedLoop& placed : plan.loops) pieces.push_back(channel_loop_writer(graph, placed));
  for (const StreamSpan& placed : plan.spans) {
    pieces.push_back({placed.begin, placed.end,
                      [&graph, &placed](const std::vector<Step>& steps, Schedule& schedule) {
                        return std::vector<Node>{span_node(graph, placed, steps, schedule)};
                      }});
  }
  std::ranges::sort(pieces, {}, &PieceWriter::begin);
  const Order order{.ops = plan.order, .peak_bytes = plan.peak_bytes};
  Schedule schedule = cut_schedule(graph, problem, order, in_place, pieces);
  std::vector<bool> in_piece(plan.order.size(), false);
  for (const PieceWriter& piece : pieces) {
    std::fill(in_piece.begin() + piece.begin, in_piece.begin() + piece.end, true);
  }
  share_consumed_inputs(graph, problem, plan.order, in_piece, schedule);
  return schedule;
}

}  // namespace thimble
