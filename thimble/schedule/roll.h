// SPDX-License-Identifier: Apache-2.0
// Repeated steps into loops, and back. A planner may write any sequence of steps; what advances
// evenly becomes a loop, so that the emitted code has each call once.
//
//   conv x -> t0 rows [0, 4)   pool t0 -> y rows [0, 2)      loop i0 < 3
//   conv x -> t1 rows [4, 8)   pool t1 -> y rows [2, 4)        conv x -> t rows [4 i0, 4 i0 + 4)
//   conv x -> t2 rows [8, 12)  pool t2 -> y rows [4, 6)        pool t -> y rows [2 i0, 2 i0 + 2)
//
// t0, t1, t2 are used in one repetition each: they become one buffer whose origin follows i0.
#pragma once

#include "thimble/schedule/schedule.h"

namespace thimble {

/// The same steps in the same order, of the same regions, in no more memory: runs of at least two
/// consecutive groups of nodes, alike but for regions, chunks and origins of their own buffers,
/// which advance evenly, become loops; runs of loops become loops around them. A bound at the
/// border of its tensor may stand for one beyond it. Buffers that are not used any more are left
/// out.
[[nodiscard]] Schedule roll(const Graph& graph, const Schedule& schedule);

/// Without loops: each iteration has steps of its own and, where nothing is carried from one
/// iteration to the next, buffers of its own. Lives end where they may, so the peak may be lower.
[[nodiscard]] Schedule unroll(const Schedule& schedule);

/// Largest sum of the sizes of live buffers, without regard to bytes that they share.
[[nodiscard]] int64_t live_peak_bytes(const Schedule& schedule);

}  // namespace thimble
