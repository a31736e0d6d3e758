// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/cut_schedule.h"

#include <algorithm>

#include "thimble/analysis/span.h"
#include "thimble/planners/whole_operators.h"
#include "thimble/search/execution.h"

namespace thimble {
namespace {

std::vector<Node> channel_loop_nodes(const Graph& graph, const PlacedLoop& placed,
                                     const WriteSteps& write_body, std::vector<Step> steps,
                                     Schedule& schedule) {
  const LoopId id{schedule.loop_count++};
  const int64_t k = placed.step;
  const IntervalExpr channels{index(id, k), index(id, k, k)};
  std::vector<Node> nodes(1);
  for (size_t i = 0; i < steps.size(); ++i) {
    Step& step = steps[i];
    const Shape& shape = graph.tensor(graph.op(step.op).outputs[0]).shape;
    if (placed.loop.roles[i] == LoopRole::kAccumulate) {
      nodes.push_back({accumulate(step, channels, placed.sums, schedule)});
    } else {
      step.region = along(shape, static_cast<int>(shape.size()) - 1, channels);
    }
  }
  const size_t outside = schedule.buffers.size();
  std::vector<Node> body = write_body(std::move(steps), schedule);
  for (size_t b = 0; b < schedule.buffers.size(); ++b) {
    Buffer& buffer = schedule.buffers[b];
    const bool sliced = b < outside ? std::ranges::find(placed.loop.slices, buffer.tensor) !=
                                          placed.loop.slices.end()
                                    : buffer.sums;
    if (!sliced) continue;
    buffer.extents.back() = std::min(k, placed.loop.channels);
    buffer.origin.back() = channels.begin;
  }
  nodes[0] = {Loop{id, (placed.loop.channels + k - 1) / k, std::move(body)}};
  return nodes;
}

}  // namespace

Step accumulate(Step& step, const IntervalExpr& chunk, DType sums, Schedule& schedule) {
  const BufferId accumulators{static_cast<int32_t>(schedule.buffers.size())};
  Buffer buffer = schedule.buffer(step.out);
  buffer.type = sums;
  buffer.sums = true;
  buffer.order.clear();
  schedule.buffers.push_back(std::move(buffer));
  schedule.shares.push_back({step.out, accumulators});
  Step finalise{.op = step.op,
                .method = Method::kFinalise,
                .region = step.region,
                .in = {accumulators},
                .out = step.out};
  step.method = Method::kAccumulate;
  step.chunk = chunk;
  step.out = accumulators;
  return finalise;
}

PieceWriter channel_loop_writer(const Graph& graph, PlacedLoop placed, WriteSteps write_body) {
  const int begin = placed.begin, end = placed.end;
  if (!write_body) {
    write_body = [](const std::vector<Step>& steps, Schedule&) {
      std::vector<Node> nodes;
      for (const Step& step : steps) nodes.push_back({step});
      return nodes;
    };
  }
  return {begin, end,
          [&graph, placed = std::move(placed), write_body = std::move(write_body)](
              std::vector<Step> steps, Schedule& schedule) {
            return channel_loop_nodes(graph, placed, write_body, std::move(steps), schedule);
          }};
}

Schedule cut_schedule(const Graph& graph, const OrderProblem& problem, const Order& order,
                      bool in_place, const std::vector<PieceWriter>& pieces) {
  OrderProblem outside = problem;
  for (const PieceWriter& piece : pieces) {
    for (int at = piece.begin; at < piece.end; ++at)
      outside.ops[index(order.ops[index(at)])].in_place.clear();
  }
  Schedule schedule = whole_operator_schedule(graph, outside, order, in_place);
  std::vector<Node> whole;
  whole.swap(schedule.nodes);
  size_t at = 0;
  for (const PieceWriter& piece : pieces) {
    for (; at < index(piece.begin); ++at) schedule.nodes.push_back(whole[at]);
    std::vector<Step> steps;
    for (; at < index(piece.end); ++at) steps.push_back(std::get<Step>(whole[at].what));
    for (Node& node : piece.write(std::move(steps), schedule)) {
      schedule.nodes.push_back(std::move(node));
    }
  }
  for (; at < whole.size(); ++at) schedule.nodes.push_back(whole[at]);
  return schedule;
}

}  // namespace thimble
