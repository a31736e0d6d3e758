// SPDX-License-Identifier: Apache-2.0
// The best cut of an order into single instances and groups, as `stream` searches it.
#pragma once

#include "thimble/moves/roll.h"
#include "thimble/planners/channel_cut.h"
#include "thimble/search/best_cut.h"

namespace thimble {

struct StreamOptions {
  std::vector<Granularity> granularities;
  int64_t enough_bytes = 0;  ///< a peak that needs no improvement
  RollOptions rolls;
};

struct StreamCut {
  std::vector<int> order;
  std::vector<RolledPiece> pieces;  ///< ascending, disjoint
  /// Instances that, where they are in no piece, lie over consumed input, as in place they would
  /// need more than the peak.
  std::vector<InstanceId> over_input;
  int64_t peak_bytes = 0;  ///< Rolls::kImpossible if rows cannot pass the ports
  std::string why = {};    ///< then: the obstacle
};

/// Groups in a network of so many instances have at most so many: large ones are searched less
/// deeply, so that the work grows no faster than they do.
[[nodiscard]] int most_in_group(size_t instances);

/// Of one order. Cuts of `worthless_bytes` or more need not be found.
[[nodiscard]] StreamCut best_stream_cut(ChannelGroups& channels, const OrderProblem& problem,
                                        const std::vector<int>& order, const StreamOptions& options,
                                        int64_t worthless_bytes);

[[nodiscard]] Plan stream_plan(const Dataflow& dataflow, const OrderProblem& problem,
                               const StreamCut& cut, bool in_place);

}  // namespace thimble
