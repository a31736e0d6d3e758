// SPDX-License-Identifier: Apache-2.0
// Variables stay where they are: the new value of each ends at the address where the old one began.
//
//   SHIFT_IN in place           old |--------*                  one buffer, two names
//                               new          *-----------|
//
//   read after it was made      old |-----------------*         the new value is copied there
//                               new      *--------------*       by a step behind all others
//                               copy                    *|
#pragma once

#include "thimble/schedule/schedule.h"

namespace thimble {

/// Adds a share where the new value may be written over the old one while this is read, and a copy
/// where it may not. Schedule::states must be set.
void close_states(const Graph& graph, Schedule& schedule);

/// The lives of both values of a variable, for the layout: ascending and disjoint.
[[nodiscard]] std::vector<LiveRange> joined_lives(const LiveRange& in, const LiveRange& out);

}  // namespace thimble
