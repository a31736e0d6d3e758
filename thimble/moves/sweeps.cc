// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/sweeps.h"

#include <algorithm>

#include "thimble/moves/sweep_pass.h"
#include "thimble/search/parallel.h"

namespace thimble {
namespace {

std::vector<int> positions_in(const std::vector<int>& order) {
  std::vector<int> positions(order.size());
  for (size_t p = 0; p < order.size(); ++p)
    positions[static_cast<size_t>(order[p])] = static_cast<int>(p);
  return positions;
}

}  // namespace

Sweeps::Sweeps(const Dataflow& dataflow, const OrderBytes& bytes, const std::vector<int>& order,
               LatencyEstimate& latency, const SweepOptions& options)
    : order_{dataflow, bytes, order, options, positions_in(order)} {
  for (int job = 0; job < std::max(options.jobs, 1); ++job) times_.emplace_back(latency);
}

std::vector<Sweep> Sweeps::ending_at(int end, const std::vector<SweepTile>& tiles,
                                     const std::vector<int64_t>& incumbent_bytes,
                                     SweepTimes& times) const {
  SweepClocks clocks(order_.flow, order_.order, end, order_.options.most_instances);
  SweepEnd found(order_, end, incumbent_bytes);
  for (const SweepTile& tile : tiles) find_sweeps(order_, times, clocks, tile, found);
  return found.sweeps();
}

std::vector<Sweep> Sweeps::all(const std::vector<SweepTile>& tiles,
                               const std::vector<int64_t>& incumbent_bytes) const {
  // Ends side by side ask for the same times: a few of them a thread.
  constexpr size_t kEnds = 6;
  const size_t count = order_.order.size(), runs = (count + kEnds - 1) / kEnds;
  std::vector<std::vector<Sweep>> found(count);
  in_parallel(runs, order_.options.jobs, [&](size_t k, size_t worker) {
    const size_t first = (runs - 1 - k) * kEnds;  // the longest ones first
    for (size_t last = std::min(first + kEnds, count); last-- > first;) {
      if (late(order_.options.time)) return;
      found[last] = ending_at(static_cast<int>(last) + 1, tiles, incumbent_bytes, times_[worker]);
    }
  });
  std::vector<Sweep> result;
  for (std::vector<Sweep>& some : found) std::ranges::move(some, std::back_inserter(result));
  return result;
}

GroupCandidate Sweeps::candidate(const Sweep& sweep) const {
  const Dataflow& flow = order_.flow;
  SweepClocks clocks(flow, order_.order, sweep.end, order_.options.most_instances);
  const int last = clocks.last();
  const ValueId paced = order_.at(last).makes;
  const bool by_columns = sweep.tile.by_columns();
  Group rows{.loop = *clocks.row_loop(sweep.begin, sweep.tile)};
  Group columns{
      .loop = {.paced = paced, .axis = sweep.tile.axes().columns, .step = sweep.tile.columns}};
  for (const ValueId v : sweep.recomputed) rows.loop.others.emplace_back(v, Border::kRecompute);
  for (const ValueId v : sweep.recomputed_columns)
    columns.loop.others.emplace_back(v, Border::kRecompute);
  GroupCandidate result{.begin = sweep.begin,
                        .end = sweep.end,
                        .overlap = sweep.overlap,
                        .lead_bytes = sweep.lead_bytes,
                        .bytes = sweep.bytes,
                        .by_pixels = by_columns};
  for (int p = sweep.begin; p <= last; ++p) {
    const bool inside = by_columns && !flow.instances.receives(order_.at(p));
    (inside ? columns : rows).members.push_back({order_.call(p)});
  }
  if (by_columns) rows.members.push_back({std::move(columns)});
  for (int p = last + 1; p < sweep.end; ++p) {
    const InstanceId id = order_.call(p).instance;
    rows.members.push_back({InstanceCall{id, Method::kAccumulate}});
    result.finalised.push_back({id, Method::kFinalise});
  }
  result.group = std::move(rows);
  return result;
}

}  // namespace thimble
