// SPDX-License-Identifier: Apache-2.0
// Estimated instructions of calls and groups beside which an arena has so many bytes left: with the
// core's fast kernels, where their scratch has room (plan/choose_kernels.h).
#pragma once

#include "thimble/plan/latency_estimate.h"

namespace thimble {

/// The core's; of one without, that of the Cortex-M4.
[[nodiscard]] LatencyModel latency_model_for(const Core& core);
/// The same core, with portable kernels alone.
[[nodiscard]] Core without_sets(Core core);

class PieceTimes {
 public:
  /// Both must outlive it.
  PieceTimes(const Dataflow& dataflow, const Core& core);

  [[nodiscard]] double whole(const InstanceCall& call, int64_t room_bytes);
  [[nodiscard]] double group(const Derived& derived, int64_t room_bytes);
  /// Of calls and groups; infinite if a group has no derivation.
  [[nodiscard]] double sum(const std::vector<Member>& members, int64_t room_bytes);
  /// The fewest bytes with which none of their calls lacks room.
  [[nodiscard]] int64_t scratch_bytes(const std::vector<Member>& members) const;

 private:
  [[nodiscard]] int64_t scratch_bytes(const InstanceCall& call) const;
  [[nodiscard]] LatencyEstimate& with_room(const InstanceCall& call, int64_t room_bytes);

  const Dataflow& flow_;
  const Core core_, portable_core_;
  const LatencyModel model_;
  LatencyEstimate fast_, portable_;
};

}  // namespace thimble
