// SPDX-License-Identifier: Apache-2.0
// What a call in the loops of a sweep takes in all tiles, remembered: passes (sweep_pass.h) ask for
// the same again and again.
#pragma once

#include <array>
#include <unordered_map>
#include <vector>

#include "thimble/moves/sweep_value.h"
#include "thimble/plan/latency_estimate.h"

namespace thimble {

struct SweptCall {
  int position = 0;  ///< in the order
  InstanceCall call;
  int64_t macs = 0;          ///< executed once
  const TiledCall* outer;    ///< as the clocks have it
  const TiledCall* inner;    ///< null: there is one loop only
  bool executes = true;      ///< it has an operator
  bool reads_whole = false;  ///< operands lie outside of the sweep
};

class SweepTimes {
 public:
  struct Work {
    int64_t macs = 0;  ///< as executed
    /// Estimated, with copies of what is kept beside windows: with each budget of scratch.
    std::array<ScratchTime, kScratchBudgets.size()> with = {};
  };

  /// The estimate must outlive this.
  explicit SweepTimes(LatencyEstimate& latency) : latency_(latency) {}

  /// Tiles in which there is nothing to do count nothing: they take little, and differ from run to
  /// run. Valid until the next call.
  [[nodiscard]] const Work& work_of(const SweptCall& swept, const SweptValue& made,
                                    const SweepChoice& choice);

 private:
  using Key = std::array<int64_t, 10>;
  struct Hash {
    size_t operator()(const Key& key) const;
  };

  LatencyEstimate& latency_;
  std::vector<LoopAround> loops_;
  std::unordered_map<Key, Work, Hash> known_;
};

}  // namespace thimble
