// SPDX-License-Identifier: Apache-2.0
// Copies from and to block storage as transfers that begin and are waited for, so that they go on
// beside what is computed wherever that takes no memory.
//
//   copy x -> s in storage;  pool x          begin x -> s;  pool x;  wait        x lives as long
//
//   loop i                                   begin s -> f, row 0 (f: a ring)
//     copy s -> f, row i                     loop i
//     concat f, ..                             wait;  concat f, ..;  begin s -> f, row i + 1
//     conv ..                                  conv ..        beside the convolution
//                                            wait
//
// Records that are compressed take a passage while they are on their way, and are waited for at
// once.
//
// What a loop stores is waited for as its next iteration begins; from a ring with room, before that
// stores. To one with room the rows of the next tile are fetched as soon as those of this one are
// there. Storage that is erased before it is written is erased in one go as the inference begins,
// and waited for in front of the first write.
#pragma once

#include <set>

#include "thimble/schedule/schedule.h"

namespace thimble {

/// schedule: as written, with its memories; copies from and to storage are steps like others.
/// with_room: rings that have room for what is transferred while the next tile is computed.
[[nodiscard]] Schedule with_transfers(Schedule schedule, const std::set<BufferId>& with_room);

}  // namespace thimble
