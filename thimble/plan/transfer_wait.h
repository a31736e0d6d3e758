// SPDX-License-Identifier: Apache-2.0
// How long the core waits for block storage, as searches estimate it: `thimble simulate` has the
// same transfers one by one.
//
//   loop: conv, store a row of it      1.0 M cycles, rows take 1.5 M      0.5 M
//   fetch x whole                                                        all that it takes
#pragma once

#include <algorithm>

#include "thimble/plan/latency_estimate.h"

namespace thimble {

/// Cycles of the core while a storage and its driver do something.
struct TransferCycles {
  double access = 0;  ///< of each transfer, beside its bytes
  double read_byte = 0, write_byte = 0;
  double erase_block = 0;
  bool beside = true;  ///< the core computes meanwhile
  bool operator==(const TransferCycles&) const = default;
};

/// What an inference moves: bytes as they are stored, not compressed, and blocks that it erases.
struct TransferWork {
  int64_t written = 0, read = 0, erased_blocks = 0;
};
[[nodiscard]] TransferWork transfer_work(const Instances& instances, const Graph& graph,
                                         const ScheduleMemory& storage);

/// Nanojoules of a storage.
struct TransferEnergy {
  double read_byte = 0, write_byte = 0, erase_block = 0;
  [[nodiscard]] double of(const TransferWork& work) const;
};

/// Cycles of the erase before all.
[[nodiscard]] double erase_cycles(const Instances& instances, const Graph& graph,
                                  const ScheduleMemory& storage, const TransferCycles& cycles);
/// The wait of a member of a plan. Rows that a group transfers go on beside what it computes where
/// its rings have room for that (TileLoop::transfers_beside), the storage takes two at a time and
/// they are not compressed; all else is waited for, constants that are read early (Brought)
/// included.
[[nodiscard]] double member_wait(LatencyEstimate& latency, const Dataflow& dataflow,
                                 const Member& member, const ScheduleMemory& storage,
                                 const TransferCycles& cycles);
/// The wait of an inference: of all members, less what is read early while the one in front is
/// computed, and the erase before them. 0 without storage.
[[nodiscard]] double transfer_wait(LatencyEstimate& latency, const Dataflow& dataflow,
                                   const Plan& plan, const TransferCycles& cycles);

/// As much as there is, at most so much: what goes on beside what is computed takes some of it.
inline double taken_from(double& spare, double most) {
  const double taken = std::min(spare, most);
  spare -= taken;
  return taken;
}

}  // namespace thimble
