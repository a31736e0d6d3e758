// SPDX-License-Identifier: Apache-2.0
// A run of an order as a group, and what it comes to, whoever found it: rolled (roll.h), in slices
// of channels (slice_channels.h), in parts (partition.h), a sweep (sweep.h).
#pragma once

#include <functional>

#include "thimble/plan/evaluate.h"
#include "thimble/plan/latency_estimate.h"
#include "thimble/plan/order_plan.h"

namespace thimble {

struct GroupCandidate {
  int begin = 0, end = 0;  ///< positions of the order
  Group group;
  std::vector<InstanceCall> finalised;   ///< behind it
  std::optional<OverlapChoice> overlap;  ///< an output of it over a consumed input
  int64_t lead_bytes = 0;                ///< of the overlap
  int64_t bytes = 0;                     ///< live while it runs with portable kernels

  // Where somebody measures these.
  PieceTimes times;
  int64_t steps = 0;  ///< calls written down, finalisations too

  bool by_pixels = false;
  bool by_channels = false;  ///< parts of channels
  /// Values of which such parts alone exist.
  std::vector<ValueId> slices;
  bool in_slices = false;  ///< it rolls inside of a group over channels
  int64_t channels = 0;    ///< that the outermost loop slices, as many as fit; 0: it does not
  GroupBytes one_channel;  ///< if it does: bytes with one at a time

  [[nodiscard]] OrderPiece piece() const;
  /// Instructions with as much scratch as helps.
  [[nodiscard]] double instructions() const { return times.back().instructions; }
  /// Steps beyond one per instance.
  [[nodiscard]] int64_t more_steps() const { return steps - (end - begin); }
};

/// Two values, one over the other, and what that saves.
struct BestOverlap {
  std::optional<OverlapChoice> choice;
  int64_t lead_bytes = 0, saved_bytes = 0;
};
/// The lead of `out` over `in`; nothing: it must not lie there.
using LeadOf = std::function<std::optional<int64_t>(ValueId out, ValueId in)>;
/// The one that saves most: an output of a group over an input that it consumes.
[[nodiscard]] BestOverlap best_overlap(const Dataflow& dataflow, const std::vector<ValueId>& inputs,
                                       const std::vector<ValueId>& outputs, const LeadOf& lead);

}  // namespace thimble
