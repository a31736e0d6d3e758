// SPDX-License-Identifier: Apache-2.0
// Partial execution by channel (Liberis and Lane 2023, "Pex"): operators execute together, some
// channels at a time, so that large tensors never exist in full.
//
// An order of operators is cut into single operators and loops over channels. f(i), the least peak
// of the first i operators, is the least over the last piece [j, i) of max(f(j), bytes(j, i));
// among equal peaks the one with the fewest operators in loops, so that nothing is in a loop
// without gain. Where sums of 16 or 8 bits are allowed, which are lossy, the fewest tensors that
// are summed in them come first: what reaches the same peak with exact sums has exact sums. On a
// chain this is Pex's algorithm 1; on a graph with branches it keeps to the order.
//
//   expand 144 > depthwise > project 24        single: 52,728 B with the block's input held
//   \_________ one loop ___________/           loop: x + one channel each of two tensors +
//                                              accumulators of the projection = 20,618 B
#pragma once

#include <optional>
#include <vector>

#include "thimble/planners/channel_pieces.h"
#include "thimble/schedule/schedule.h"
#include "thimble/search/order.h"

namespace thimble {

struct PexOptions {
  ChannelPieceOptions pieces;
  bool most_channels = true;  ///< as many at a time as cost nothing; else one
  std::optional<int64_t> budget_bytes;
};

struct PexPlan {
  std::vector<int> order;
  std::vector<PlacedLoop> loops;  ///< ascending, disjoint
  int64_t peak_bytes = 0;

  /// Tensors whose sums have this type.
  [[nodiscard]] int summed_in(DType type) const;
};

/// The least peak for this order; with a budget that it meets, the fewest operators in loops and
/// the most channels a time that stay within the budget (a multiple of 4 where it can be).
[[nodiscard]] PexPlan pex(const Graph& graph, const OrderProblem& problem,
                          const std::vector<int>& order, const PexOptions& options);

/// For the sums of less than 32 bits: a step of the loop is a chunk, the scale a bound from the
/// weights.
[[nodiscard]] std::vector<Accumulator> pex_accumulators(const Graph& graph, const PexPlan& plan);

[[nodiscard]] Schedule pex_schedule(const Graph& graph, const OrderProblem& problem,
                                    const PexPlan& plan, bool in_place);

}  // namespace thimble
