// SPDX-License-Identifier: Apache-2.0
// Which of several memories each buffer lies in: those that are touched most in the fastest, as far
// as they have room at every moment.
//
//   fast: 8 bytes, no wait     slow: any number, 2 cycles for each byte read or written
//
//   b1 [0,2) 4 bytes, 40 touched   b2 [0,3) 6 bytes, 30 touched   b3 [2,3) 4 bytes, 9 touched
//   moment 0, 1: 4 + 6 > 8   moment 2: 6 + 4 > 8
//   b1 and b3 fast, b2 slow: 60 cycles;  b2 fast, b1 and b3 slow: 98
//
// Exact where few buffers are live at once: a pass over time, whose states are where the buffers
// live now lie; of states that agree on them only the cheapest goes on. It keeps a limited number
// of states. Where that is too few, the answer starts from the better of the pass's and of one
// buffer after the other, hottest first, and is improved by exchanges.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "thimble/layout/layout.h"

namespace thimble::layout {

/// A memory as far as buffers choose between them.
struct MemoryOffer {
  int64_t bytes = 0;           ///< that may be live in it
  double cycles_per_byte = 0;  ///< waited for a byte that is read or written
  bool operator==(const MemoryOffer&) const = default;
};

struct AssignmentProblem {
  /// The bytes of all buffers, as if they lay in one memory; alignment and fixed addresses count
  /// nothing.
  Problem problem;
  std::vector<int64_t> touched_bytes;  ///< per buffer, read and written
  std::vector<MemoryOffer> memories;   ///< of those that wait alike, the first is preferred
};

struct Assignment {
  std::vector<int> memories;  ///< per buffer; 0 of those without bytes
  double wait_cycles = 0;
  bool proven_optimal = false;  ///< nothing that has as much live waits less
  bool operator==(const Assignment&) const = default;
};

/// Work is counted in buffers looked at: this takes a second or so.
constexpr int64_t kAssignmentWork = 20'000'000;

/// The assignment that waits least, in which bytes live at every moment, shared ones counted once
/// (live_bounds), are no more than each memory offers; of several, the one with most in memories
/// that stand first. Whether each then has a layout is for `exact` to say. Nothing: none was found,
/// and where the pass was complete there is none.
[[nodiscard]] std::optional<Assignment> assign_memories(const AssignmentProblem& given,
                                                        int64_t work = kAssignmentWork,
                                                        const TimeLimit* time = nullptr);

}  // namespace thimble::layout
