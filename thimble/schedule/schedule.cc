// SPDX-License-Identifier: Apache-2.0
#include "thimble/schedule/schedule.h"

#include <algorithm>
#include <numeric>

#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/target/kernels/kernel_uses.h"

namespace thimble {
namespace {

using WrittenVisit = std::function<void(const Step&, Position)>;
using ExecutedVisit = std::function<void(const Step&, Position, const Counters&)>;

void walk(const std::vector<Node>& nodes, Position& position, const WrittenVisit& visit) {
  for (const Node& node : nodes) {
    visit_node(
        node, [&](const Step& step) { visit(step, position++); },
        [&](const Loop& loop) { walk(loop.body, position, visit); });
  }
}

Position execute(const std::vector<Node>& nodes, Position position, Counters& counters,
                 const ExecutedVisit& visit) {
  for (const Node& node : nodes) {
    visit_node(
        node, [&](const Step& step) { visit(step, position++, counters); },
        [&](const Loop& loop) {
          const Position start = position;
          int64_t& counter = counters[loop.id.index()];
          for (counter = 0; counter < loop.count; ++counter)
            position = execute(loop.body, start, counters, visit);
          if (loop.count == 0) walk(loop.body, position, [](const Step&, Position) {});
        });
  }
  return position;
}

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
  if (step.constants.valid()) result.push_back(step.constants);
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

int64_t macs(const Graph& graph, const Schedule& schedule) {
  const std::vector<int64_t> by_step = macs_by_step(graph, schedule);
  return std::accumulate(by_step.begin(), by_step.end(), int64_t{0});
}

std::vector<int64_t> macs_by_step(const Graph& graph, const Schedule& schedule) {
  std::vector<int64_t> by_step;
  execute_steps(schedule, [&](const Step& step, Position position, const Counters& counters) {
    const auto at = static_cast<size_t>(position);
    if (at >= by_step.size()) by_step.resize(at + 1);
    if (!step.op.valid() || step.method == Method::kFinalise) return;
    const Op& op = graph.op(step.op);
    const Shape& out = graph.tensor(op.outputs[0]).shape;
    const int64_t count = macs(graph, op, evaluate(step.region, counters, out));
    if (!step.chunk) {
      by_step[at] += count;
      return;
    }
    const int64_t extent = graph.tensor(op.inputs[0]).shape[chunk_axis(graph, op)];
    by_step[at] += count / extent * clip({evaluate(*step.chunk, counters)}, {extent})[0].size();
  });
  return by_step;
}

bool recomputes(const Schedule& schedule) {
  bool any = false;
  for_each_step(schedule, [&](const Step& step, Position) { any = any || step.recomputes; });
  return any;
}

void set_kernel(Schedule& schedule, Step& step, KernelId kernel, const Scratch& needed) {
  step.kernel = kernel;
  if (step.scratch.valid()) {
    Buffer& buffer = schedule.buffers[step.scratch.index()];
    buffer.type = needed.type;
    buffer.extents = {needed.size_bytes / size_bytes(needed.type)};
  } else if (needed.size_bytes > 0) {
    step.scratch = add_scratch(schedule, needed);
  }
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
