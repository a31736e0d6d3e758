// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/patch_candidate.h"

#include <algorithm>

#include "thimble/analysis/overlaps.h"
#include "thimble/operators/operators.h"
#include "thimble/planners/whole_operators.h"

namespace thimble {
namespace {

constexpr int64_t kMostStates = 100'000;  // per stage and patch size; chains need none

/// The problem with these operators only; the order it gets is translated back.
Order order_of(const OrderProblem& problem, const std::vector<int>& ops,
               const std::vector<int>& outputs) {
  if (ops.empty()) return {.ops = {}, .proven_optimal = true};
  std::vector<bool> made(problem.size_bytes.size()), used(problem.size_bytes.size());
  OrderProblem part{.size_bytes = problem.size_bytes, .inputs = {}, .outputs = outputs, .ops = {}};
  for (int op : ops) {
    part.ops.push_back(problem.ops[static_cast<size_t>(op)]);
    for (int t : part.ops.back().inputs) used[static_cast<size_t>(t)] = true;
    for (int t : part.ops.back().outputs) made[static_cast<size_t>(t)] = true;
  }
  for (int t : outputs) used[static_cast<size_t>(t)] = true;
  for (size_t t = 0; t < used.size(); ++t) {
    if (used[t] && !made[t]) part.inputs.push_back(static_cast<int>(t));
  }
  Order order = reorder(part, kMostStates);
  for (int& op : order.ops) op = ops[static_cast<size_t>(op)];
  return order;
}

/// The largest input that nothing behind the stage needs.
std::optional<TensorId> input_under(const Graph& graph, const OrderProblem& problem,
                                    const PatchStage& stage) {
  std::optional<TensorId> best;
  for (const Port& port : graph.inputs) {
    const int t = port.tensor.value;
    bool free =
        problem.size_bytes[port.tensor.index()] > 0 && port.order.empty() &&
        std::find(problem.outputs.begin(), problem.outputs.end(), t) == problem.outputs.end();
    for (size_t k = 0; k < problem.ops.size(); ++k) {
      const std::vector<int>& in = problem.ops[k].inputs;
      free = free && (stage.inside[k] || std::find(in.begin(), in.end(), t) == in.end());
    }
    if (free &&
        (!best || graph.tensor(port.tensor).size_bytes() > graph.tensor(*best).size_bytes())) {
      best = port.tensor;
    }
  }
  return best;
}

BufferId buffer_of(const Schedule& schedule, TensorId tensor) {
  for (size_t b = 0; b < schedule.buffers.size(); ++b) {
    if (schedule.buffers[b].tensor == tensor) return {static_cast<int32_t>(b)};
  }
  return {};
}

std::vector<Node> in_loop(LoopId loop, int64_t count, std::vector<Node> body) {
  if (count == 1) return body;
  return {Node{Loop{loop, count, std::move(body)}}};
}

/// Operators of `order`, the stage's first, and those in patches.
Schedule schedule_of(const Graph& graph, const PatchSplit& split, const PatchCandidate& candidate,
                     const Order& order, bool in_place) {
  Schedule schedule = whole_operator_schedule(graph, split.problem, order, in_place);
  schedule.loop_count = 2;
  for (Buffer& buffer : schedule.buffers) {
    if (!buffer.tensor.valid()) continue;
    const Buffer& slice = candidate.slices[buffer.tensor.index()];
    if (slice.tensor.valid()) buffer = slice;
  }
  const auto first = schedule.nodes.begin();
  const auto end = first + static_cast<std::ptrdiff_t>(split.stage.ops.size());
  std::vector<Node> stage(first, end);
  for (Node& node : stage) {
    Step& step = std::get<Step>(node.what);
    const TensorId made = graph.op(step.op).outputs[0];
    step.region = candidate.regions.of[made.index()];
    step.recomputes = candidate.recomputed[made.index()];
  }
  stage = in_loop(kPatchRow, candidate.grid.down,
                  in_loop(kPatchColumn, candidate.grid.across, std::move(stage)));
  stage.insert(stage.end(), end, schedule.nodes.end());
  schedule.nodes = std::move(stage);
  if (split.under) {
    schedule.shares.push_back(
        {buffer_of(schedule, split.stage.split), buffer_of(schedule, *split.under)});
  }
  return schedule;
}

/// Bytes of the split tensor beyond those that it takes of an input while patches are executed.
int64_t split_bytes(const Graph& graph, const PatchSplit& split, const Schedule& stage) {
  const int64_t own = split.problem.size_bytes[split.stage.split.index()];
  if (!split.under) return own;
  const int64_t input = graph.tensor(*split.under).size_bytes();
  const std::vector<Overlap> found = overlaps(graph, stage);
  if (found.empty() || !found[0].lead_bytes) return own;
  const int64_t ahead = std::max<int64_t>(*found[0].lead_bytes, 0);
  return std::min(own, std::max(input + ahead, own) - input);
}

}  // namespace

PatchSplit patch_split(const Graph& graph, const OrderProblem& problem, PatchStage stage,
                       bool share_input) {
  PatchSplit split{.stage = std::move(stage), .problem = problem, .rest = {}, .under = {}};
  std::vector<int> rest;
  for (size_t k = 0; k < problem.ops.size(); ++k) {
    if (split.stage.inside[k]) {
      split.problem.ops[k].in_place.clear();
    } else {
      rest.push_back(static_cast<int>(k));
    }
  }
  split.rest = order_of(problem, rest, problem.outputs);
  if (share_input) split.under = input_under(graph, problem, split.stage);
  return split;
}

std::variant<PatchCandidate, std::string> patch_candidate(const Graph& graph,
                                                          PatchAnalysis& analysis,
                                                          const PatchSplit& split,
                                                          const PatchGrid& grid) {
  auto regions = analysis.regions(split.stage, grid);
  if (auto* why = std::get_if<std::string>(&regions)) return std::move(*why);
  PatchCandidate result{.grid = grid,
                        .slices = std::vector<Buffer>(graph.tensors.size()),
                        .regions = std::get<PatchRegions>(std::move(regions)),
                        .recomputed = std::vector<bool>(graph.tensors.size()),
                        .order = {}};
  OrderProblem sliced = split.problem;
  std::vector<int> ops;
  for (OpId op : split.stage.ops) {
    const TensorId made = graph.op(op).outputs[0];
    ops.push_back(op.value);
    result.stage_macs += macs(graph, graph.op(op));
    const RegionExpr& region = result.regions.of[made.index()];
    result.recomputed[made.index()] = analysis.recomputed(made, region, grid);
    if (made == split.stage.split) continue;
    Buffer& slice = result.slices[made.index()];
    slice = analysis.slice(made, region, grid);
    sliced.size_bytes[made.index()] = slice.size_bytes();
  }
  for (const Port& port : graph.inputs) {
    result.input_bytes += split.problem.size_bytes[port.tensor.index()];
    sliced.size_bytes[port.tensor.index()] = 0;  // held all the time
  }
  sliced.size_bytes[split.stage.split.index()] = 0;
  result.order = order_of(sliced, ops, {split.stage.split.value});
  const Schedule stage = schedule_of(graph, split, result, result.order, false);
  result.held_bytes = result.input_bytes + split_bytes(graph, split, stage);
  result.recomputed_macs = macs(graph, stage) - result.stage_macs;
  return result;
}

Schedule patch_schedule(const Graph& graph, const PatchSplit& split,
                        const PatchCandidate& candidate, bool in_place) {
  Order order = candidate.order;
  order.ops.insert(order.ops.end(), split.rest.ops.begin(), split.rest.ops.end());
  order.peak_bytes = std::max(candidate.stage_bytes(), split.rest.peak_bytes);
  return schedule_of(graph, split, candidate, order, in_place);
}

}  // namespace thimble
