// SPDX-License-Identifier: Apache-2.0
// An order of instances, cut into single instances and groups over channels.
//
// f(i), the least peak of the first i instances, is the least over the last piece [j, i) of
// max(f(j), bytes(j, i)); among equal peaks the one with the fewest instances in groups, so that
// nothing is in a group without gain. Where sums of 16 or 8 bits are allowed, which are lossy, the
// fewest tensors that are summed in them come first: what reaches the same peak with exact sums has
// exact sums. On a chain this is Pex's algorithm 1; on a graph with branches it keeps to the order.
//
//   expand 144 > depthwise > project 24        single: 52,728 B with the block's input held
//   \_________ one group __________/           group: x + one channel each of two tensors +
//                                              accumulators of the projection = 20,618 B
#pragma once

#include <optional>

#include "thimble/planners/channel_groups.h"
#include "thimble/planners/fastest_cut.h"
#include "thimble/search/order.h"

namespace thimble {

struct ChannelCutOptions {
  int most_instances = 16;    ///< in a group
  bool pairs = false;         ///< only groups from a generating to an accumulating instance
  bool most_channels = true;  ///< as many at a time as cost nothing; else one
  std::optional<int64_t> budget_bytes;
  LatencyEstimate* latency = nullptr;  ///< then, within the budget, the fewest instructions
};

/// Instances [begin, end) of an order execute as a group, `step` channels at a time.
struct PlacedGroup {
  int begin = 0, end = 0;
  const MeasuredGroup* group = nullptr;
  size_t sums = 0;  ///< its type, in ChannelGroups::sums()
  int64_t step = 1;
};

struct ChannelCut {
  std::vector<int> order;
  std::vector<PlacedGroup> groups;  ///< ascending, disjoint
  int64_t peak_bytes = 0;
  int64_t instructions = 0;  ///< estimated, if it is the fastest within the budget
};

/// The groups of an order that need less than the largest of their instances otherwise (`single`,
/// per position), even if slices took nothing.
[[nodiscard]] std::vector<PlacedGroup> channel_candidates(ChannelGroups& groups,
                                                          const OrderBytes& bytes,
                                                          const std::vector<int>& order,
                                                          const std::vector<int64_t>& single,
                                                          const ChannelCutOptions& options);

/// Channels at a time, of so many, within `limit` bytes: a multiple of 4 where it can be; at least
/// one. one: bytes of the group, which begins at the position, with one.
[[nodiscard]] int64_t most_channels(const OrderBytes& bytes, int begin, const GroupBytes& one,
                                    int64_t channels, int64_t limit);

/// The least peak for this order; with a budget that it meets, the fewest instructions or, without
/// estimates of them, the fewest instances in groups and the most channels a time that stay within
/// the budget (a multiple of 4 where it can be).
[[nodiscard]] ChannelCut channel_cut(ChannelGroups& groups, const OrderProblem& problem,
                                     const std::vector<int>& order,
                                     const ChannelCutOptions& options);

/// Tensors that the cut sums in that type.
[[nodiscard]] int summed_in(const ChannelGroups& groups, const ChannelCut& cut, DType type);

/// A step of a group is a chunk of its sums; the scale of those of less than 32 bits is a bound
/// from the weights.
[[nodiscard]] Plan plan_of(const ChannelGroups& groups, const OrderProblem& problem,
                           const ChannelCut& cut, bool in_place);

}  // namespace thimble
