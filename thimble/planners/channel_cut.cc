// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/channel_cut.h"

#include <algorithm>
#include <set>

#include "thimble/model/error.h"
#include "thimble/plan/order_plan.h"
#include "thimble/reference/partial_sums.h"
#include "thimble/search/execution.h"

namespace thimble {
namespace {

CutPiece piece(const ChannelGroups& groups, const OrderBytes& bytes, const PlacedGroup& placed) {
  const ChannelGroup& group = placed.group->group;
  const DType sums = groups.sums()[placed.sums];
  const auto accumulated = static_cast<int>(group.accumulated.size());
  return {placed.begin,
          placed.end,
          {.peak_bytes = bytes.group(placed.begin, placed.group->bytes[placed.sums]),
           .sums_of_8_bits = sums == DType::kInt8 ? accumulated : 0,
           .sums_of_16_bits = sums == DType::kInt16 ? accumulated : 0,
           .in_pieces = static_cast<int>(group.instances.size())}};
}

GroupBytes wide(const PlacedGroup& placed) { return placed.group->wider(placed.sums, placed.step); }

std::vector<PlannedCall> calls_of(const PlacedGroup& placed, int64_t step,
                                  LatencyEstimate& latency) {
  auto calls = latency.calls(placed.group->group.members(step));
  check(calls.has_value(), "a group over channels has no derivation");
  return std::move(*calls);
}

double instructions(const PlacedGroup& placed, const OrderBytes& bytes, int64_t limit,
                    LatencyEstimate& latency) {
  return instructions_within(calls_of(placed, placed.step, latency),
                             limit - bytes.group(placed.begin, wide(placed)));
}

/// As many channels at a time as fit; or as leave room for fast kernels' scratch, if that is
/// faster.
void widen(PlacedGroup& placed, const OrderBytes& bytes, int64_t limit,
           const ChannelCutOptions& options) {
  if (!options.most_channels) return;
  const MeasuredGroup& group = *placed.group;
  const auto fitting = [&](int64_t most) {
    return most_channels(bytes, placed.begin, group.bytes[placed.sums], group.group.channels, most);
  };
  placed.step = fitting(limit);
  if (options.latency == nullptr) return;
  std::set<int64_t> scratch;
  for (const PlannedCall& call : calls_of(placed, placed.step, *options.latency)) {
    for (const KernelTime& time : *call.times) scratch.insert(time.scratch_bytes);
  }
  double least = instructions(placed, bytes, limit, *options.latency);
  const PlacedGroup widest = placed;
  for (const int64_t some : scratch) {
    PlacedGroup fewer = widest;
    fewer.step = fitting(limit - some);
    const double time = instructions(fewer, bytes, limit, *options.latency);
    if (time >= least) continue;
    least = time;
    placed = fewer;
  }
}

}  // namespace

std::vector<PlacedGroup> channel_candidates(ChannelGroups& groups, const OrderBytes& bytes,
                                            const std::vector<int>& order,
                                            const std::vector<int64_t>& single,
                                            const ChannelCutOptions& options) {
  std::vector<PlacedGroup> result;
  const auto count = static_cast<int>(order.size());
  for (int begin = 0; begin < count; ++begin) {
    std::vector<int> instances;
    int64_t one_by_one = 0;
    for (int end = begin + 1; end <= std::min(count, begin + options.most_instances); ++end) {
      instances.push_back(order[index(end - 1)]);
      one_by_one = std::max(one_by_one, single[index(end - 1)]);
      const MeasuredGroup* group = groups.group_of(instances, one_by_one - bytes.held(begin));
      if (group == nullptr || (options.pairs && !group->group.is_pair)) continue;
      const size_t types = group->group.accumulated.empty() ? 1 : groups.sums().size();
      for (size_t sums = 0; sums < types; ++sums) {
        if (bytes.group(begin, group->wider(sums, 0)) < one_by_one)
          result.push_back({begin, end, group, sums});
      }
    }
  }
  return result;
}

int64_t most_channels(const OrderBytes& bytes, int begin, const GroupBytes& one, int64_t channels,
                      int64_t limit) {
  const int64_t left = limit - bytes.group(begin, GroupBytes{one.made, 0});
  const int64_t fits = std::clamp<int64_t>(left / one.inner, 1, channels);
  return fits >= 4 ? fits / 4 * 4 : fits;
}

ChannelCut channel_cut(ChannelGroups& groups, const OrderProblem& problem,
                       const std::vector<int>& order, const ChannelCutOptions& options) {
  const std::vector<int64_t> single = working_sets(problem, order);
  const OrderBytes bytes(problem, order);
  std::vector<PlacedGroup> placed = channel_candidates(groups, bytes, order, single, options);
  std::vector<CutPiece> pieces;
  for (const PlacedGroup& p : placed) pieces.push_back(piece(groups, bytes, p));
  const int64_t enough = options.budget_bytes.value_or(0);
  ChannelCut result{.order = order, .groups = {}};
  BestCut cut = best_cut(single, pieces, enough);
  const int64_t limit = std::max(cut.peak_bytes, enough);
  if (options.latency != nullptr && cut.peak_bytes <= enough) {
    const auto time = [&](size_t p) {
      widen(placed[p], bytes, limit, options);
      return instructions(placed[p], bytes, limit, *options.latency);
    };
    const FastestCut fastest = fastest_cut(*options.latency, order, single, pieces, enough, time);
    cut = fastest.cut;
    result.instructions = fastest.instructions;
  }
  result.peak_bytes = cut.peak_bytes;
  for (const int p : cut.pieces) {
    PlacedGroup& chosen = result.groups.emplace_back(placed[index(p)]);
    widen(chosen, bytes, limit, options);
    result.peak_bytes = std::max(result.peak_bytes, bytes.group(chosen.begin, wide(chosen)));
  }
  return result;
}

int summed_in(const ChannelGroups& groups, const ChannelCut& cut, DType type) {
  int count = 0;
  for (const PlacedGroup& placed : cut.groups) {
    if (groups.sums()[placed.sums] == type)
      count += static_cast<int>(placed.group->group.accumulated.size());
  }
  return count;
}

Plan plan_of(const ChannelGroups& groups, const OrderProblem& problem, const ChannelCut& cut,
             bool in_place) {
  const Dataflow& flow = groups.dataflow();
  std::vector<OrderPiece> pieces;
  std::vector<Accumulator> accumulators;
  for (const PlacedGroup& placed : cut.groups) {
    const ChannelGroup& group = placed.group->group;
    pieces.push_back({placed.begin, placed.end, group.members(placed.step)});
    const DType sums = groups.sums()[placed.sums];
    if (sums == DType::kInt32) continue;
    for (const ValueId v : group.accumulated) {
      const OpId op = flow.instances.instance(flow.maker[v.index()]).op;
      const SumRange range = bounded_sums(flow.graph, flow.graph.op(op));
      accumulators.push_back(accumulator_for(flow.tensor(v), sums, placed.step, range));
    }
  }
  Plan plan = order_plan(flow, problem, cut.order,
                         {.in_place = in_place, .peak_bytes = cut.peak_bytes}, std::move(pieces));
  plan.accumulators = std::move(accumulators);
  return plan;
}

}  // namespace thimble
