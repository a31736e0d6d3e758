// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/stream_schedule.h"

#include <algorithm>

#include "thimble/planners/execution.h"
#include "thimble/planners/whole_operators.h"

namespace thimble {
namespace {

/// Turns steps of whole operators into loops over ticks.
class SpanWriter {
 public:
  SpanWriter(const Graph& graph, Schedule& schedule) : graph_(graph), schedule_(schedule) {}

  void share(BufferId out, TensorId in) {
    const Share share{out, buffer_of(in)};
    if (std::ranges::find(schedule_.shares, share) == schedule_.shares.end())
      schedule_.shares.push_back(share);
  }

  Node write(const StreamSpan& placed, const std::vector<Step>& steps) {
    const LoopId loop{schedule_.loop_count++};
    Loop result{loop, placed.span.ticks, {}};
    for (const SpanMember& member : placed.span.members) {
      const RegionExpr rows =
          along(graph_.tensor(member.out).shape, kRowAxis, member.beat.interval(loop));
      const BufferId held = buffer_of(member.out);
      if (!member.op.valid()) {
        const BufferId source = streamed(schedule_.inputs, held);
        result.body.push_back({Step{.region = rows, .in = {source}, .out = held}});
      } else {
        Step step = *std::ranges::find(steps, member.op, &Step::op);
        step.region = rows;
        result.body.push_back({std::move(step)});
      }
      const bool delivers = member.ring > 0 && is_port(schedule_.outputs, held);
      if (delivers) {
        const BufferId target = streamed(schedule_.outputs, held);
        result.body.push_back({Step{.region = rows, .in = {held}, .out = target}});
      }
      if (member.ring > 0) {
        Buffer& ring = schedule_.buffers[held.index()];
        ring.extents[kRowAxis] = member.ring;
        ring.wrap = Wrap{kRowAxis, member.ring};
      }
      if (member.out == placed.out) share(held, placed.under);
    }
    return {std::move(result)};
  }

 private:
  static bool is_port(const std::vector<BufferId>& ports, BufferId id) {
    return std::ranges::find(ports, id) != ports.end();
  }

  /// A port whose rows pass through `held`, in place of it.
  BufferId streamed(std::vector<BufferId>& ports, BufferId held) {
    const BufferId stream{static_cast<int32_t>(schedule_.buffers.size())};
    Buffer rows = whole_buffer(graph_, schedule_.buffer(held).tensor);
    rows.place = Place::kStreamed;
    schedule_.buffers.push_back(std::move(rows));
    std::ranges::replace(ports, held, stream);
    schedule_.buffers[held.index()].order.clear();  // rows come and go in the network's own order
    return stream;
  }

  BufferId buffer_of(TensorId t) const {
    const auto it = std::ranges::find(schedule_.buffers, t, &Buffer::tensor);
    return {static_cast<int32_t>(it - schedule_.buffers.begin())};
  }

  const Graph& graph_;
  Schedule& schedule_;
};

/// Position of the last reader, per tensor; outputs are read behind the last operator.
std::vector<int> last_reads(const OrderProblem& problem, const std::vector<int>& order) {
  std::vector<int> result(problem.size_bytes.size(), -1);
  for (size_t at = 0; at < order.size(); ++at) {
    for (const int t : problem.ops[index(order[at])].inputs)
      result[index(t)] = static_cast<int>(at);
  }
  for (const int t : problem.outputs) result[index(t)] = static_cast<int>(order.size());
  return result;
}

}  // namespace

Schedule stream_schedule(const Graph& graph, const OrderProblem& problem, const StreamPlan& plan,
                         bool in_place) {
  OrderProblem outside = problem;  // nothing inside a span executes in place
  for (const StreamSpan& placed : plan.spans) {
    for (int at = placed.begin; at < placed.end; ++at)
      outside.ops[index(plan.order[index(at)])].in_place.clear();
  }
  const Order order{.ops = plan.order, .peak_bytes = plan.peak_bytes};
  Schedule schedule = whole_operator_schedule(graph, outside, order, in_place);
  std::vector<Node> whole;
  whole.swap(schedule.nodes);
  SpanWriter writer(graph, schedule);
  int at = 0;
  const std::vector<int> last_read = last_reads(problem, plan.order);
  const auto singles_until = [&](int end) {
    for (; at < end; ++at) {
      const Step& step = std::get<Step>(whole[index(at)].what);
      for (const InputLead& lead : input_leads(graph, step.op)) {
        if (last_read[lead.input.index()] == at) writer.share(step.out, lead.input);
      }
      schedule.nodes.push_back(whole[index(at)]);
    }
  };
  for (const StreamSpan& placed : plan.spans) {
    singles_until(placed.begin);
    std::vector<Step> steps;
    for (; at < placed.end; ++at) steps.push_back(std::get<Step>(whole[index(at)].what));
    schedule.nodes.push_back(writer.write(placed, steps));
  }
  singles_until(static_cast<int>(whole.size()));
  return schedule;
}

}  // namespace thimble
