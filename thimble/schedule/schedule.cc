// SPDX-License-Identifier: Apache-2.0
#include "thimble/schedule/schedule.h"

#include <algorithm>
#include <cstdlib>

#include "thimble/model/error.h"
#include "thimble/operators/operators.h"

namespace thimble {
namespace {

using WrittenVisit = std::function<void(const Step&, Position)>;
using ExecutedVisit = std::function<void(const Step&, Position, const Counters&)>;

void walk(const std::vector<Node>& nodes, Position& position, const WrittenVisit& visit) {
  for (const Node& node : nodes) {
    if (const auto* step = std::get_if<Step>(&node.what)) {
      visit(*step, position++);
    } else {
      walk(std::get<Loop>(node.what).body, position, visit);
    }
  }
}

Position execute(const std::vector<Node>& nodes, Position position, Counters& counters,
                 const ExecutedVisit& visit) {
  for (const Node& node : nodes) {
    if (const auto* step = std::get_if<Step>(&node.what)) {
      visit(*step, position++, counters);
      continue;
    }
    const Loop& loop = std::get<Loop>(node.what);
    const Position start = position;
    int64_t& counter = counters[loop.id.index()];
    for (counter = 0; counter < loop.count; ++counter) {
      position = execute(loop.body, start, counters, visit);
    }
    if (loop.count == 0) walk(loop.body, position, [](const Step&, Position) {});
  }
  return position;
}

struct LoopSpan {
  LiveRange steps;  // positions
  int depth = 0;    // of nesting
};

// By LoopId.
void loop_spans(const std::vector<Node>& nodes, int depth, Position& position,
                std::vector<LoopSpan>& spans) {
  for (const Node& node : nodes) {
    if (std::holds_alternative<Step>(node.what)) {
      ++position;
      continue;
    }
    const Loop& loop = std::get<Loop>(node.what);
    LoopSpan& span = spans[loop.id.index()];
    span = {{position, position}, depth};
    loop_spans(loop.body, depth + 1, position, spans);
    span.steps.end = position;
  }
}

// Whether the origin is another one in each iteration; floor(i / 2) carries data into the next.
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

// New in each iteration of a loop inside `outer`, and used nowhere else: nothing survives until the
// next iteration of `outer`.
bool renewed_within(const Buffer& buffer, const LiveRange& range, const LoopSpan& outer,
                    const std::vector<LoopSpan>& spans) {
  for (size_t l = 0; l < spans.size(); ++l) {
    if (spans[l].depth > outer.depth && inside(spans[l].steps, outer.steps) &&
        inside(range, spans[l].steps) && follows(buffer, {static_cast<int32_t>(l)})) {
      return true;
    }
  }
  return false;
}

bool touches(const LiveRange& a, const LiveRange& b) { return a.begin < b.end && b.begin < a.end; }

}  // namespace

bool Loop::operator==(const Loop& other) const {
  return id == other.id && count == other.count && body == other.body;
}

int64_t Buffer::size_bytes() const {
  if (!wrap) return elements(extents) * thimble::size_bytes(type);
  int64_t count = wrap->modulus;
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    if (!wraps(axis)) count *= extents[axis];
  }
  return count * thimble::size_bytes(type);
}

bool Buffer::wraps(size_t axis) const {
  if (!wrap) return false;
  if (order.empty()) return axis <= static_cast<size_t>(wrap->axis);
  const auto innermost = std::ranges::find(order, wrap->axis);
  return std::find(order.begin(), innermost, static_cast<int>(axis)) != innermost ||
         static_cast<int>(axis) == wrap->axis;
}

std::vector<int64_t> strides(const Buffer& buffer) {
  const size_t rank = buffer.extents.size();
  std::vector<int64_t> result(rank);
  int64_t stride = 1;
  for (size_t k = rank; k-- > 0;) {
    const size_t axis = buffer.order.empty() ? k : static_cast<size_t>(buffer.order[k]);
    result[axis] = stride;
    stride *= buffer.extents[axis];
  }
  return result;
}

Operand::Operand(BufferId buffer) {
  if (buffer.valid()) from.push_back(buffer);
}

BufferId Operand::buffer() const {
  check(from.size() <= 1, "an operand in several buffers where one is wanted");
  return from.empty() ? BufferId{} : from[0];
}

std::vector<BufferId> read_buffers(const Step& step) {
  std::vector<BufferId> result;
  for (const Operand& operand : step.in) {
    result.insert(result.end(), operand.from.begin(), operand.from.end());
  }
  return result;
}

bool receives(const Schedule& schedule, const Step& step) {
  return !step.op.valid() && step.in.size() == 1 && step.in[0].from.size() == 1 &&
         schedule.buffer(step.in[0].from[0]).memory == kStream;
}

bool delivers(const Schedule& schedule, const Step& step) {
  return !step.op.valid() && schedule.buffer(step.out).memory == kStream;
}

void for_each_step(const Schedule& schedule, const WrittenVisit& visit) {
  Position position = 0;
  walk(schedule.nodes, position, visit);
}

void execute_steps(const Schedule& schedule, const ExecutedVisit& visit) {
  Counters counters(static_cast<size_t>(schedule.loop_count));
  execute(schedule.nodes, 0, counters, visit);
}

std::vector<LiveRange> live_ranges(const Schedule& schedule) {
  std::vector<LiveRange> ranges(schedule.buffers.size());
  std::vector<bool> used(schedule.buffers.size());
  Position steps = 0;
  auto extend = [&](BufferId id, Position begin, Position end) {
    if (!id.valid()) return;
    LiveRange& range = ranges[id.index()];
    range.begin = used[id.index()] ? std::min(range.begin, begin) : begin;
    range.end = used[id.index()] ? std::max(range.end, end) : end;
    used[id.index()] = true;
  };
  for_each_step(schedule, [&](const Step& step, Position position) {
    for (BufferId id : read_buffers(step)) extend(id, position, position + 1);
    extend(step.out, position, position + 1);
    extend(step.scratch, position, position + 1);
    steps = position + 1;
  });
  const auto there_always = [&](BufferId id) { return schedule.buffer(id).memory != kStream; };
  for (BufferId id : schedule.inputs) {
    if (there_always(id)) extend(id, 0, 0);
  }
  for (BufferId id : schedule.outputs) {
    if (there_always(id)) extend(id, steps, steps);
  }

  std::vector<LoopSpan> spans(static_cast<size_t>(schedule.loop_count));
  Position position = 0;
  loop_spans(schedule.nodes, 0, position, spans);
  for (bool changed = true; changed;) {  // inner loops first or not: until nothing grows
    changed = false;
    for (size_t b = 0; b < ranges.size(); ++b) {
      if (!schedule.buffers[b].tensor.valid()) continue;  // scratch dies with its step
      for (size_t l = 0; l < spans.size(); ++l) {
        const LoopId loop{static_cast<int32_t>(l)};
        const LiveRange& span = spans[l].steps;
        if (!touches(ranges[b], span) || follows(schedule.buffers[b], loop)) continue;
        if (inside(span, ranges[b])) continue;
        if (renewed_within(schedule.buffers[b], ranges[b], spans[l], spans)) continue;
        ranges[b].begin = std::min(ranges[b].begin, span.begin);
        ranges[b].end = std::max(ranges[b].end, span.end);
        changed = true;
      }
    }
  }
  return ranges;
}

int64_t macs(const Graph& graph, const Schedule& schedule) {
  int64_t total = 0;
  execute_steps(schedule, [&](const Step& step, Position, const Counters& counters) {
    if (!step.op.valid() || step.method == Method::kFinalise) return;
    const Op& op = graph.op(step.op);
    const Shape& out = graph.tensor(op.outputs[0]).shape;
    const int64_t count = macs(graph, op, evaluate(step.region, counters, out));
    if (!step.chunk) {
      total += count;
      return;
    }
    const int64_t extent = graph.tensor(op.inputs[0]).shape[chunk_axis(graph, op)];
    total += count / extent * clip({evaluate(*step.chunk, counters)}, {extent})[0].size();
  });
  return total;
}

bool recomputes(const Schedule& schedule) {
  bool any = false;
  for_each_step(schedule, [&](const Step& step, Position) { any = any || step.recomputes; });
  return any;
}

BufferId add_scratch(Schedule& schedule, const Scratch& needed) {
  schedule.buffers.push_back({.tensor = {},
                              .type = needed.type,
                              .extents = {needed.size_bytes / size_bytes(needed.type)}});
  return {static_cast<int32_t>(schedule.buffers.size()) - 1};
}

Buffer whole_buffer(const Graph& graph, TensorId tensor) {
  const Tensor& t = graph.tensor(tensor);
  Buffer buffer{
      .tensor = tensor, .type = t.type, .extents = t.shape, .origin = {}, .wrap = {}, .order = {}};
  buffer.origin.assign(t.shape.size(), index(0));
  return buffer;
}

}  // namespace thimble
