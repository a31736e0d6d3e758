// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/pex.h"

#include <algorithm>

#include "thimble/planners/cut_schedule.h"
#include "thimble/reference/partial_sums.h"
#include "thimble/search/execution.h"

namespace thimble {

PexPlan pex(const Graph& graph, const OrderProblem& problem, const std::vector<int>& order,
            const PexOptions& options) {
  const std::vector<int64_t> single = working_sets(problem, order);
  const ChannelPieces loops(graph, problem, order, single, options.pieces);
  std::vector<CutPiece> pieces;
  for (const ChannelPieces::Candidate& c : loops.candidates())
    pieces.push_back({c.placed.begin, c.placed.end, c.cost});
  const int64_t enough = options.budget_bytes.value_or(0);
  const BestCut cut = best_cut(single, pieces, enough);
  PexPlan plan{.order = order, .loops = {}, .peak_bytes = cut.peak_bytes};
  for (const int p : cut.pieces) {
    const ChannelPieces::Candidate& chosen = loops.candidates()[index(p)];
    plan.loops.push_back(chosen.placed);
    int64_t& step = plan.loops.back().step;
    if (options.most_channels)
      step = most_channels(chosen.placed.loop, chosen.bytes, std::max(cut.peak_bytes, enough));
    plan.peak_bytes = std::max(plan.peak_bytes, chosen.bytes.with(step));
  }
  return plan;
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
  std::vector<PieceWriter> writers;
  for (const PlacedLoop& placed : plan.loops) writers.push_back(channel_loop_writer(graph, placed));
  return cut_schedule(graph, problem, {.ops = plan.order, .peak_bytes = plan.peak_bytes}, in_place,
                      writers);
}

}  // namespace thimble
