// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/stream_schedule.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "thimble/analysis/leads.h"
#include "thimble/planners/cut_schedule.h"
#include "thimble/search/execution.h"

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

/// A port whose rows pass through `held`, in place of it.
BufferId streamed(const Graph& graph, std::vector<BufferId>& ports, BufferId held,
                  Schedule& schedule) {
  const BufferId stream{static_cast<int32_t>(schedule.buffers.size())};
  Buffer rows = whole_buffer(graph, schedule.buffer(held).tensor);
  rows.memory = kStream;
  schedule.buffers.push_back(std::move(rows));
  std::ranges::replace(ports, held, stream);
  schedule.buffers[held.index()].order.clear();  // rows come and go in the network's own order
  return stream;
}

void make_ring(const StreamSpan& placed, size_t member, Buffer& buffer) {
  const int64_t held = placed.rings[member];
  if (held == 0) return;
  const SpanMember& made = placed.rows.members[member];
  if (placed.columns && made.op.valid()) {
    const int64_t width = buffer.extents[kColumnAxis];
    buffer.extents[kRowAxis] = (held + width - 1) / width;
    buffer.wrap = Wrap{kColumnAxis, held};
    return;
  }
  const auto axis = static_cast<size_t>(made.axis);
  const int64_t outer = std::accumulate(buffer.extents.begin(), buffer.extents.begin() + made.axis,
                                        int64_t{1}, std::multiplies{});
  if (outer > 1) {  // in memory the rows come before the heads
    buffer.order.resize(buffer.extents.size());
    std::iota(buffer.order.begin(), buffer.order.end(), 0);
    std::rotate(buffer.order.begin(), buffer.order.begin() + made.axis,
                buffer.order.begin() + made.axis + 1);
  }
  buffer.extents[axis] = held;
  buffer.wrap = Wrap{made.axis, held};
}

/// A loop over ticks of the rows; by pixels, and in it one over ticks of the columns. Rows are
/// received first and added to sums last, which are finalised behind the loop.
std::vector<Node> span_nodes(const Graph& graph, const StreamSpan& placed,
                             const std::vector<Step>& steps, Schedule& schedule) {
  const LoopId loop{schedule.loop_count++};
  const LoopId inner = placed.columns ? LoopId{schedule.loop_count++} : LoopId{};
  std::vector<Node> received, body, added, result(1);
  for (size_t m = 0; m < placed.rows.members.size(); ++m) {
    const SpanMember& member = placed.rows.members[m];
    if (member.sums) {
      Step step = *std::ranges::find(steps, member.op, &Step::op);
      result.push_back({accumulate(step, member.beat.interval(loop), DType::kInt32, schedule)});
      added.push_back({std::move(step)});
      continue;
    }
    const IntervalExpr rows = member.beat.interval(loop);
    const RegionExpr all_of_them = along(graph.tensor(member.out).shape, member.axis, rows);
    const BufferId held = buffer_of(schedule, member.out);
    if (member.op.valid()) {
      Step step = *std::ranges::find(steps, member.op, &Step::op);
      step.region[static_cast<size_t>(member.axis)] = rows;
      if (placed.columns)
        step.region[kColumnAxis] = placed.columns->members[m].beat.interval(inner);
      body.push_back({std::move(step)});
    } else {
      const BufferId source = streamed(graph, schedule.inputs, held, schedule);
      received.push_back({Step{.region = all_of_them, .in = {source}, .out = held}});
    }
    const bool delivers =
        member.ring > 0 && std::ranges::find(schedule.outputs, held) != schedule.outputs.end();
    if (delivers) {
      const BufferId target = streamed(graph, schedule.outputs, held, schedule);
      body.push_back({Step{.region = all_of_them, .in = {held}, .out = target}});
    }
    make_ring(placed, m, schedule.buffers[held.index()]);
  }
  if (placed.out.valid()) share(schedule, placed.out, placed.under);
  if (placed.columns) body = {Node{Loop{inner, placed.columns->ticks, std::move(body)}}};
  received.insert(received.end(), body.begin(), body.end());
  received.insert(received.end(), added.begin(), added.end());
  result[0] = {Loop{loop, placed.rows.ticks, std::move(received)}};
  return result;
}

/// Single operators may write over inputs that they are the last to read.
void share_consumed_inputs(const Graph& graph, const OrderProblem& problem,
                           const std::vector<int>& order, const std::vector<bool>& in_piece,
                           Schedule& schedule) {
  const std::vector<int> last_read = lives(problem, order).last_read;
  const InputLeads leads(graph);
  for (size_t at = 0; at < order.size(); ++at) {
    if (in_piece[at]) continue;
    const OpId op{order[at]};
    for (const InputLead& lead : leads.of(op)) {
      if (last_read[lead.input.index()] == static_cast<int>(at))
        share(schedule, graph.op(op).outputs[0], lead.input);
    }
  }
}

}  // namespace

Schedule stream_schedule(const Graph& graph, const OrderProblem& problem, const StreamPlan& plan,
                         bool in_place) {
  std::vector<PieceWriter> pieces;
  for (const StreamPiece& piece : plan.pieces) {
    WriteSteps by_rows;
    if (piece.span) {
      by_rows = [&graph, &piece](const std::vector<Step>& steps, Schedule& schedule) {
        return span_nodes(graph, *piece.span, steps, schedule);
      };
    }
    pieces.push_back(piece.loop ? channel_loop_writer(graph, *piece.loop, std::move(by_rows))
                                : PieceWriter{piece.begin(), piece.end(), std::move(by_rows)});
  }
  const Order order{.ops = plan.order, .peak_bytes = plan.peak_bytes};
  OrderProblem not_in_place = problem;
  for (const OpId op : plan.over_input) not_in_place.ops[op.index()].in_place.clear();
  Schedule schedule = cut_schedule(graph, not_in_place, order, in_place, pieces);
  std::vector<bool> in_piece(plan.order.size(), false);
  for (const PieceWriter& piece : pieces) {
    std::fill(in_piece.begin() + piece.begin, in_piece.begin() + piece.end, true);
  }
  if (in_place) share_consumed_inputs(graph, problem, plan.order, in_piece, schedule);
  return schedule;
}

}  // namespace thimble
