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
#pragma once

#include <map>

#include "thimble/schedule/schedule.h"

namespace thimble {

/// What a buffer that a step has its constants in is filled from, as Brought says.
struct BroughtBuffer {
  BufferId stored;
  int depth = 0;
  bool ahead = false;
  bool by_record = false;  ///< what a step needs, each time; else all of them
};

/// schedule: as written, before with_transfers(). brought: by what holds the constants. ahead:
/// whether reading may begin before the step in front of the one that waits for it.
[[nodiscard]] Schedule with_brought(Schedule schedule,
                                    const std::map<BufferId, BroughtBuffer>& brought, bool ahead);

/// Whether more transfers are in flight somewhere than their storage takes.
[[nodiscard]] bool too_many_in_flight(const Schedule& schedule);

}  // namespace thimble
