// SPDX-License-Identifier: Apache-2.0
// Fast kernels are taken where the arena has room for their scratch (plan/choose_kernels.h), so a
// plan that keeps a limit on time only with them needs that room.
#pragma once

#include <vector>

#include "thimble/plan/latency_estimate.h"

namespace thimble {

/// What an arena of so many bytes saves, beside what smaller ones do.
struct RoomFor {
  int64_t bytes = 0;
  double instructions = 0;
};

class MotesRoom {
 public:
  /// The dataflow and the model must outlive it.
  MotesRoom(const Dataflow& dataflow, const Core& core, const LatencyModel& model);

  /// The most that fast kernels of these calls want.
  [[nodiscard]] int64_t scratch_bytes(const std::vector<Member>& members) const;
  [[nodiscard]] LatencyEstimate& portable() { return estimate_; }

 private:
  const Dataflow& flow_;
  const Core core_, portable_;
  LatencyEstimate estimate_;
};

/// An arena of at least these bytes, and what a plan takes with it.
struct Room {
  int64_t bytes = 0;
  double instructions = 0;  ///< with all of them saved
};
/// With the fewest bytes with which the plan takes at most `most` instructions; if there are none,
/// no more bytes than before.
[[nodiscard]] Room least_room(Room room, double most, std::vector<RoomFor> all);

}  // namespace thimble
