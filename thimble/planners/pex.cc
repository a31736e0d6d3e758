// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/pex.h"

#include <algorithm>
#include <limits>

#include "thimble/model/error.h"
#include "thimble/planners/execution.h"
#include "thimble/planners/whole_operators.h"
#include "thimble/reference/partial_sums.h"
#include "thimble/schedule/span.h"

namespace thimble {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

OpId op_id(int number) { return OpId{number}; }

/// What a cut into loops costs, worst first.
struct Cost {
  int64_t peak_bytes = 0;
  int sums_of_8_bits = 0, sums_of_16_bits = 0;  ///< tensors
  int in_loops = 0;                             ///< operators

  auto operator<=>(const Cost&) const = default;
  [[nodiscard]] Cost then(const Cost& next) const {
    return {std::max(peak_bytes, next.peak_bytes), sums_of_8_bits + next.sums_of_8_bits,
            sums_of_16_bits + next.sums_of_16_bits, in_loops + next.in_loops};
  }
};

class Cutter {
 public:
  Cutter(const Graph& graph, const OrderProblem& problem, const std::vector<int>& order,
         const PexOptions& options)
      : problem_(problem),
        order_(order),
        options_(options),
        rules_(graph),
        single_(working_sets(problem, order)),
        made_(problem.size_bytes.size(), -1),
        last_read_(problem.size_bytes.size(), -1) {
    for (size_t at = 0; at < order.size(); ++at) {
      const OrderProblem::Op& op = problem.ops[index(order[at])];
      for (const int t : op.outputs) made_[index(t)] = static_cast<int>(at);
      for (const int t : op.inputs) last_read_[index(t)] = static_cast<int>(at);
    }
    for (const int t : problem.outputs) last_read_[index(t)] = static_cast<int>(order.size());
    collect();
  }

  PexPlan run() {
    const int64_t least = cut(kNever).back().cost.peak_bytes;
    const int64_t limit = std::max(least, options_.budget_bytes.value_or(0));
    PexPlan plan{.order = order_, .loops = chosen(cut(limit)), .peak_bytes = 0};
    if (options_.most_channels) {
      for (PlacedLoop& placed : plan.loops) placed.step = most_channels(placed, limit);
    }
    plan.peak_bytes = peak(plan);
    return plan;
  }

 private:
  struct Candidate {
    PlacedLoop placed;
    Cost cost;  ///< one channel at a time
  };
  /// The best way to execute the operators before a position.
  struct Cut {
    Cost cost;  ///< a peak below the limit is 0
    int from = 0;
    int candidate = -1;  ///< -1: a single operator
  };

  void collect() {
    const auto count = static_cast<int>(order_.size());
    ending_at_.resize(order_.size() + 1);
    for (int begin = 0; begin < count; ++begin) {
      std::vector<OpId> ops;
      for (int end = begin + 1; end <= std::min(count, begin + options_.most_ops); ++end) {
        ops.push_back(op_id(order_[index(end - 1)]));
        const std::optional<ChannelLoop> loop = rules_.loop_of(ops);
        if (!loop || (options_.pairs && !is_pair(*loop))) continue;
        for (const DType sums : {DType::kInt32, DType::kInt16, DType::kInt8}) {
          if (size_bytes(sums) < size_bytes(options_.narrowest_sums)) continue;
          if (sums != DType::kInt32 && loop->accumulated.empty()) continue;
          collect({begin, end, *loop, 1, sums});
        }
      }
    }
  }

  void collect(PlacedLoop placed) {
    const int64_t peak = bytes(placed, 1);
    // Not one that is worse than its operators one by one.
    if (peak >= *std::max_element(single_.begin() + placed.begin, single_.begin() + placed.end))
      return;
    const auto accumulated = static_cast<int>(placed.loop.accumulated.size());
    const Cost cost{.peak_bytes = peak,
                    .sums_of_8_bits = placed.sums == DType::kInt8 ? accumulated : 0,
                    .sums_of_16_bits = placed.sums == DType::kInt16 ? accumulated : 0,
                    .in_loops = static_cast<int>(placed.loop.ops.size())};
    ending_at_[index(placed.end)].push_back(static_cast<int>(candidates_.size()));
    candidates_.push_back({std::move(placed), cost});
  }

  static bool is_pair(const ChannelLoop& loop) {
    return loop.roles.front() == LoopRole::kGenerate && loop.roles.back() == LoopRole::kAccumulate;
  }

  /// Full tensors that live while operators [begin, end) execute: what the loop reads, and what was
  /// made before for later.
  int64_t outside_bytes(int begin, int end, const ChannelLoop& loop) const {
    int64_t sum = 0;
    for (size_t t = 0; t < made_.size(); ++t) {
      const bool there = made_[t] < begin && last_read_[t] >= begin;
      const bool held =
          last_read_[t] >= end ||
          std::ranges::find(loop.context, TensorId{static_cast<int32_t>(t)}) != loop.context.end();
      if (there && held && is_live_before(t, begin)) sum += problem_.size_bytes[t];
    }
    return sum;
  }

  /// Inputs of the network exist from the start, constants have no bytes.
  bool is_live_before(size_t t, int begin) const {
    return made_[t] >= 0
               ? made_[t] < begin
               : std::ranges::find(problem_.inputs, static_cast<int>(t)) != problem_.inputs.end();
  }

  /// cuts[i]: of the first i operators. Peaks up to the limit count as equal.
  std::vector<Cut> cut(int64_t limit) const {
    std::vector<Cut> cuts(order_.size() + 1);
    const auto flat = [&](Cost cost) {
      if (limit != kNever && cost.peak_bytes <= limit) cost.peak_bytes = 0;
      return cost;
    };
    for (size_t i = 1; i < cuts.size(); ++i) {
      cuts[i] = {cuts[i - 1].cost.then(flat({.peak_bytes = single_[i - 1]})),
                 static_cast<int>(i) - 1, -1};
      for (const int number : ending_at_[i]) {
        const Candidate& c = candidates_[index(number)];
        const Cost cost = cuts[index(c.placed.begin)].cost.then(flat(c.cost));
        if (cost < cuts[i].cost) cuts[i] = {cost, c.placed.begin, number};
      }
    }
    return cuts;
  }

  std::vector<PlacedLoop> chosen(const std::vector<Cut>& cuts) const {
    std::vector<PlacedLoop> loops;
    for (size_t i = cuts.size() - 1; i > 0; i = index(cuts[i].from)) {
      if (cuts[i].candidate >= 0) loops.push_back(candidates_[index(cuts[i].candidate)].placed);
    }
    std::ranges::reverse(loops);
    return loops;
  }

  int64_t bytes(const PlacedLoop& placed, int64_t step) const {
    return outside_bytes(placed.begin, placed.end, placed.loop) +
           rules_.own_bytes(placed.loop, step, placed.sums);
  }

  /// By binary search; bytes grow with the step.
  int64_t most_channels(const PlacedLoop& placed, int64_t limit) const {
    int64_t fits = 1;
    int64_t beyond = placed.loop.channels + 1;
    while (beyond - fits > 1) {
      const int64_t middle = (fits + beyond) / 2;
      (bytes(placed, middle) <= limit ? fits : beyond) = middle;
    }
    return fits >= 4 ? fits / 4 * 4 : fits;
  }

  int64_t peak(const PexPlan& plan) const {
    int64_t result = 0;
    int at = 0;
    const auto singles_until = [&](int end) {
      for (; at < end; ++at) result = std::max(result, single_[index(at)]);
    };
    for (const PlacedLoop& placed : plan.loops) {
      singles_until(placed.begin);
      result = std::max(result, bytes(placed, placed.step));
      at = placed.end;
    }
    singles_until(static_cast<int>(order_.size()));
    return result;
  }

  const OrderProblem& problem_;
  const std::vector<int>& order_;
  const PexOptions& options_;
  ChannelLoops rules_;
  std::vector<int64_t> single_;  ///< bytes live while an operator executes alone, per position
  std::vector<int> made_, last_read_;  ///< position per tensor; outputs are read behind the last
  std::vector<Candidate> candidates_;
  std::vector<std::vector<int>> ending_at_;  ///< candidates, per position behind their last
};

/// Turns steps of whole operators into a loop.
class LoopWriter {
 public:
  LoopWriter(const Graph& graph, Schedule& schedule) : graph_(graph), schedule_(schedule) {}

  /// steps: of the loop's operators, as they would execute alone. Returns the loop and what
  /// finalises its accumulators.
  std::vector<Node> write(const PlacedLoop& placed, std::vector<Step> steps) {
    const LoopId id{schedule_.loop_count++};
    const int64_t k = placed.step;
    const IntervalExpr channels{index(id, k), index(id, k, k)};
    Loop loop{id, (placed.loop.channels + k - 1) / k, {}};
    std::vector<Node> nodes(1);
    for (size_t i = 0; i < steps.size(); ++i) {
      Step& step = steps[i];
      const Shape& shape = graph_.tensor(graph_.op(step.op).outputs[0]).shape;
      if (placed.loop.roles[i] == LoopRole::kAccumulate) {
        const BufferId accumulators{static_cast<int32_t>(schedule_.buffers.size())};
        Buffer buffer = schedule_.buffer(step.out);
        buffer.type = placed.sums;
        buffer.sums = true;
        buffer.order.clear();
        schedule_.buffers.push_back(std::move(buffer));
        nodes.push_back({Step{.op = step.op,
                              .method = Method::kFinalise,
                              .region = step.region,
                              .in = {accumulators},
                              .out = step.out}});
        schedule_.shares.push_back({step.out, accumulators});
        step.method = Method::kAccumulate;
        step.chunk = channels;
        step.out = accumulators;
      } else {
        step.region = along(shape, static_cast<int>(shape.size()) - 1, channels);
      }
      loop.body.push_back({step});
    }
    for (Buffer& buffer : schedule_.buffers) {
      if (std::ranges::find(placed.loop.slices, buffer.tensor) == placed.loop.slices.end())
        continue;
      buffer.extents.back() = std::min(k, placed.loop.channels);
      buffer.origin.back() = channels.begin;
    }
    nodes[0] = {std::move(loop)};
    return nodes;
  }

 private:
  const Graph& graph_;
  Schedule& schedule_;
};

}  // namespace

PexPlan pex(const Graph& graph, const OrderProblem& problem, const std::vector<int>& order,
            const PexOptions& options) {
  return Cutter(graph, problem, order, options).run();
}

int PexPlan::summed_in(DType type) const {
  int count = 0;
  for (const PlacedLoop& placed : loops) {
    if (placed.sums == type) count += static_cast<int>(placed.loop.accumulated.size());
  }
  return count;
}

std::vector<Accumulator> pex_accumulators(const Graph& graph, const PexPlan& plan) {
  const std::vector<OpId> producer = producers(graph);
  std::vector<Accumulator> result;
  for (const PlacedLoop& placed : plan.loops) {
    if (placed.sums == DType::kInt32) continue;
    for (const TensorId t : placed.loop.accumulated) {
      const SumRange range = bounded_sums(graph, graph.op(producer[t.index()]));
      result.push_back(accumulator_for(t, placed.sums, placed.step, range));
    }
  }
  return result;
}

Schedule pex_schedule(const Graph& graph, const OrderProblem& problem, const PexPlan& plan,
                      bool in_place) {
  OrderProblem outside = problem;  // nothing inside a loop executes in place
  for (const PlacedLoop& placed : plan.loops) {
    for (const OpId op : placed.loop.ops) outside.ops[op.index()].in_place.clear();
  }
  const Order order{.ops = plan.order, .peak_bytes = plan.peak_bytes};
  Schedule schedule = whole_operator_schedule(graph, outside, order, in_place);
  std::vector<Node> whole;
  whole.swap(schedule.nodes);
  LoopWriter writer(graph, schedule);
  size_t at = 0;
  for (const PlacedLoop& placed : plan.loops) {
    for (; at < index(placed.begin); ++at) schedule.nodes.push_back(whole[at]);
    std::vector<Step> steps;
    for (; at < index(placed.end); ++at) steps.push_back(std::get<Step>(whole[at].what));
    for (Node& node : writer.write(placed, std::move(steps))) {
      schedule.nodes.push_back(std::move(node));
    }
  }
  for (; at < whole.size(); ++at) schedule.nodes.push_back(whole[at]);
  return schedule;
}

}  // namespace thimble
