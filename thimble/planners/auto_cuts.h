// SPDX-License-Identifier: Apache-2.0
// Cuts of one order into single instances and groups of every kind, as `auto` searches them: none
// is better than another in peak, estimated instructions and MACs.
#pragma once

#include "thimble/moves/sweeps.h"
#include "thimble/plan/transfer_wait.h"
#include "thimble/planners/effort.h"
#include "thimble/planners/motes_units.h"
#include "thimble/planners/stream_cuts.h"
#include "thimble/search/front_cut.h"

namespace thimble {

struct AutoCutOptions {
  bool in_place = true;
  int64_t most_macs = 0;  ///< as executed
  Effort effort{0, 1};
  const TimeLimit* time = nullptr;          ///< past it, sweeps are looked for no more
  int jobs = 1;                             ///< threads
  const ScheduleMemory* storage = nullptr;  ///< that instances go to; null: none do
  TransferCycles storage_cycles = {};       ///< of it
};

/// A cut, before it is laid out.
struct AutoCut {
  StreamCut cut;
  int64_t macs = 0;
  double instructions = 0;  ///< estimated
};

class AutoCuts {
 public:
  /// All must outlive it. latency: of the channels' dataflow.
  AutoCuts(ChannelGroups& channels, const OrderProblem& problem, const std::vector<int>& order,
           LatencyEstimate& latency, const AutoCutOptions& options);
  AutoCuts(const AutoCuts&) = delete;  // what it is made of refers to it
  AutoCuts& operator=(const AutoCuts&) = delete;

  /// Groups that are rolled along other axes, at other paces or inside of groups over channels, as
  /// `stream` finds them.
  void add_rolled();
  /// Sweeps in a few strips of columns, which compute what lies between two strips in both: of
  /// those that lie where a cut of the front has its peak, from the fewest bytes on.
  void add_strips();
  /// Runs in parts along connected axes, as `motes` finds them: where cuts of the front have their
  /// peaks.
  void add_parts();
  /// Fewest bytes first.
  [[nodiscard]] std::vector<AutoCut> front() const;
  [[nodiscard]] std::string obstacle() const { return cuts_.rolls().obstacle(); }

 private:
  [[nodiscard]] std::vector<FrontCut> cuts(int most_labels) const;
  [[nodiscard]] FrontOverlap front_overlap(const OverlapChoice& choice, int64_t lead_bytes) const;
  [[nodiscard]] std::vector<bool> begins_of_peaks() const;
  [[nodiscard]] std::vector<FrontPiece> peaks() const;
  void add_part(GroupCandidate parts);
  void add_in_strips(const GroupCandidate& sweep, int64_t strips);
  void add_single();
  void add_swept();
  /// The piece, whose peak is that with portable kernels, with each amount of scratch that helps.
  template <class Times, class Candidate>
  void add(FrontPiece piece, const Times& times, const Candidate& candidate);
  /// Cycles that the core waits for storage.
  [[nodiscard]] double wait_of(const std::vector<Member>& members) const;
  [[nodiscard]] double wait_of(const FrontPiece& single, std::monostate) const;
  [[nodiscard]] double wait_of(const FrontPiece&, const GroupCandidate& group) const {
    return wait_of(group.piece().members);
  }
  /// By bytes beside those with portable kernels; nothing if a group cannot be derived.
  [[nodiscard]] std::optional<PieceTimes> times(const std::vector<Member>& members) const;
  [[nodiscard]] int64_t macs_of(InstanceId id) const;
  [[nodiscard]] int64_t macs_between(int begin, int end) const;
  [[nodiscard]] int64_t out_of_place_bytes(int at) const;
  [[nodiscard]] bool in_place_kernel(InstanceId id) const;

  const Dataflow& flow_;
  const OrderProblem& problem_;
  const std::vector<int>& order_;
  LatencyEstimate& latency_;
  const AutoCutOptions options_;
  const StreamOptions rolls_;
  StreamCuts cuts_;
  const Sweeps sweeps_;
  std::vector<FrontPiece> pieces_;
  /// Per piece, what it executes; a single instance has none.
  std::vector<std::variant<std::monostate, GroupCandidate, Sweep>> candidates_;
};

template <class Times, class Candidate>
void AutoCuts::add(FrontPiece piece, const Times& times, const Candidate& candidate) {
  const int64_t without = piece.peak_bytes - times.front().bytes();
  const double wait = options_.storage == nullptr ? 0 : wait_of(piece, candidate);
  for (const auto& time : times) {
    piece.peak_bytes = without + time.bytes();
    piece.time = time.instructions + wait;
    pieces_.push_back(piece);
    candidates_.emplace_back(candidate);
  }
}

}  // namespace thimble
