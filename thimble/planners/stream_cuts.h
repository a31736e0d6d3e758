// SPDX-License-Identifier: Apache-2.0
// The best cut of an order into single instances and groups, as `stream` searches it.
#pragma once

#include "thimble/moves/roll.h"
#include "thimble/planners/channel_cut.h"
#include "thimble/planners/fastest_cut.h"
#include "thimble/search/best_cut.h"

namespace thimble {

struct StreamOptions {
  std::vector<Granularity> granularities;
  int64_t budget_bytes = 0;  ///< a peak that needs no improvement
  RollOptions rolls;
};

struct StreamCut {
  std::vector<int> order;
  std::vector<GroupCandidate> pieces;  ///< ascending, disjoint
  /// Instances that, where they are in no piece, lie over consumed input, as in place they would
  /// need more than the peak.
  std::vector<InstanceId> over_input;
  int64_t peak_bytes = 0;    ///< RolledGroups::kImpossible if rows cannot pass the ports
  int64_t instructions = 0;  ///< estimated, if it is the fastest
  std::string why = {};      ///< then: the obstacle
};

/// Groups in a network of so many instances have at most so many: large ones are searched less
/// deeply, so that the work grows no faster than they do.
[[nodiscard]] int most_in_group(size_t instances);

/// Cuts of one order.
class StreamCuts {
 public:
  /// All must outlive it.
  StreamCuts(ChannelGroups& channels, const OrderProblem& problem, const std::vector<int>& order,
             const StreamOptions& options);

  /// The least peak, or the fewest operators in groups within options.budget_bytes. Cuts of
  /// `incumbent_bytes` or more need not be found.
  [[nodiscard]] StreamCut best(int64_t incumbent_bytes);
  /// Once that is found: of all cuts of these pieces within options.budget_bytes the one with the
  /// fewest estimated instructions, in larger tiles where these are faster and fit; nothing if
  /// there is none.
  [[nodiscard]] std::optional<StreamCut> fastest(LatencyEstimate& latency);
  /// All pieces that the search came across; without a peak that they are for.
  [[nodiscard]] const std::vector<GroupCandidate>& candidates() const { return candidates_; }
  /// The order with these pieces, ascending and disjoint, that reach this peak.
  [[nodiscard]] StreamCut with(std::vector<GroupCandidate> pieces, int64_t peak_bytes) const;
  [[nodiscard]] const RolledGroups& rolls() const { return rolls_; }

 private:
  void add(std::vector<GroupCandidate> more);
  void widen(GroupCandidate& piece, int64_t limit) const;
  [[nodiscard]] double instructions(const GroupCandidate& piece, LatencyEstimate& latency) const;
  [[nodiscard]] GroupCandidate in_fastest_tiles(const GroupCandidate& piece,
                                                LatencyEstimate& latency) const;
  [[nodiscard]] std::vector<GroupCandidate> sliced();
  [[nodiscard]] GroupCandidate piece(const PlacedGroup& placed, Group group) const;
  [[nodiscard]] std::vector<GroupCandidate> rolled_in_slices(int64_t limit,
                                                             Granularity granularity) const;
  [[nodiscard]] std::vector<int64_t> incumbents(int64_t at_most) const;
  void recut();

  ChannelGroups& channels_;
  const Dataflow& flow_;
  const OrderProblem& problem_;
  const std::vector<int>& order_;
  const StreamOptions& options_;
  const RolledGroups rolls_;
  int64_t incumbent_bytes_ = RolledGroups::kImpossible;
  std::vector<PlacedGroup> placed_;  ///< over channels
  std::vector<GroupCandidate> candidates_;
  std::vector<CutPiece> pieces_;  ///< the same
  BestCut cut_;
};

}  // namespace thimble
