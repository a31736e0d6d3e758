// SPDX-License-Identifier: Apache-2.0
// Packed constants that come from block storage, as transfers in front of the steps that use them.
//
//   conv x -> y, a loop over 4 tiles of its channels, one record each, read ahead:
//
//     begin record 0                      of the ring's two
//     loop i
//       wait;  begin record i + 1         of 4: none
//       conv  channels of tile i, record i
//     wait
//
//   conv x -> y, rows in a loop, all constants read before: begin; wait; loop i: conv row i
//
// What is early begins before the node in front: a record is read while that is computed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "thimble/schedule/schedule.h"

namespace thimble {

/// What a buffer that a step has its constants in is filled from, as Brought says.
struct BroughtBuffer {
  BufferId stored;
  int depth = 0;
  bool ahead = false, early = false;
  bool by_record = false;               ///< what a step needs, each time; else all of them
  std::optional<CutExpr> records = {};  ///< there are in a tile, where not always all
};

/// When reading begins at the earliest: where it is waited for, a tile ahead, as plans say.
enum class Reading : uint8_t { kAtOnce, kAhead, kEarly };

/// schedule: as written, before with_transfers(). brought: by what holds the constants.
[[nodiscard]] Schedule with_brought(Schedule schedule,
                                    const std::map<BufferId, BroughtBuffer>& brought,
                                    Reading earliest);

/// Whether more transfers are in flight somewhere than their storage takes.
[[nodiscard]] bool too_many_in_flight(const Schedule& schedule);

}  // namespace thimble
