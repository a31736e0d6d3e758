// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/planners/best_cut.h"
#include "thimble/planners/execution.h"
#include "thimble/planners/stream_spans.h"
#include "thimble/planners/whole_operators.h"

namespace thimble {
namespace {

constexpr int kRows = 1;
constexpr int kMostOps = 48;  // in a span

struct StreamPlan {
  std::vector<int> order;
  std::vector<StreamSpan> spans;  ///< ascending, disjoint
  int64_t peak_bytes = 0;
};

StreamPlan best_spans(const Graph& graph, const OrderProblem& problem,
                      const std::vector<int>& order, int64_t enough_bytes) {
  const StreamSpans spans(graph, problem, order, {});
  const std::vector<int64_t>& single = spans.single_bytes();
  const int64_t most = *std::ranges::max_element(single);
  std::vector<StreamSpan> all = spans.all(most, kMostOps);
  std::vector<CutPiece> pieces;
  for (const StreamSpan& s : all) pieces.push_back({s.begin, s.end, s.bytes});
  BestCut cut = best_cut(single, pieces);
  cut = best_cut(single, pieces, std::max(cut.peak_bytes, enough_bytes));
  StreamPlan plan{.order = order, .spans = {}, .peak_bytes = cut.peak_bytes};
  for (const int p : cut.pieces) plan.spans.push_back(std::move(all[index(p)]));
  return plan;
}

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
      Step step = *std::ranges::find(steps, member.op, &Step::op);
      step.region = along(graph_.tensor(member.out).shape, kRows, member.beat.interval(loop));
      if (member.ring > 0) {
        Buffer& ring = schedule_.buffers[step.out.index()];
        ring.extents[kRows] = member.ring;
        ring.wrap = Wrap{kRows, member.ring};
      }
      if (member.out == placed.out) share(step.out, placed.under);
      result.body.push_back({std::move(step)});
    }
    return {std::move(result)};
  }

 private:
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

}  // namespace

PlannerAnswer plan_stream(const Graph& graph, const Limits& limits, const PlannerOptions&) {
  const OrderProblem problem = order_problem(graph, limits.in_place);
  const int64_t enough = limits.sram_bytes.value_or(0);
  const std::vector<int> file = original_order(problem).ops;
  StreamPlan best = best_spans(graph, problem, file, enough);
  const std::vector<int> reordered = reorder(problem).ops;
  if (reordered != file) {
    StreamPlan other = best_spans(graph, problem, reordered, enough);
    if (other.peak_bytes < best.peak_bytes) best = std::move(other);
  }
  Planned result{.schedule = stream_schedule(graph, problem, best, limits.in_place),
                 .lower_bound_bytes = 0,
                 .notes = {}};
  for (const auto* ports : {&problem.inputs, &problem.outputs}) {
    int64_t bytes = 0;
    for (const int t : *ports) bytes += problem.size_bytes[index(t)];
    result.lower_bound_bytes = std::max(result.lower_bound_bytes, bytes);
  }
  size_t in_spans = 0;
  for (const StreamSpan& placed : best.spans) in_spans += index(placed.end - placed.begin);
  result.notes.push_back(
      fmt::format("{} of {} operators execute in {} spans, row by row; peak {} B", in_spans,
                  problem.ops.size(), best.spans.size(), best.peak_bytes));
  return result;
}

}  // namespace thimble
