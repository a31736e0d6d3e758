// SPDX-License-Identifier: Apache-2.0
// How long buffers live: the one function of that, for schedules and for groups that are not yet
// written down as steps.
#pragma once

#include <map>

#include "thimble/schedule/schedule.h"

namespace thimble {

/// The loops around steps, by LoopId, and what each step touches.
struct StepUses {
  struct LoopSteps {
    LiveRange steps;  ///< positions
    int depth = 0;    ///< of nesting
  };
  std::vector<LoopSteps> loops;
  std::vector<std::vector<BufferId>> touched;  ///< per position; invalid ids are none
  std::vector<BufferId> from_start, to_end;    ///< there before the first, needed behind the last
  /// Passages of transfers, and packed constants that are brought: whether the first step that
  /// touches it begins a transfer.
  std::map<BufferId, bool> passages;
};

/// From the first to the last step that touches it; a buffer that carries data from one iteration
/// of a loop to the next lives as long as the loop. Nothing touches it: empty, at 0.
[[nodiscard]] std::vector<LiveRange> lives(const StepUses& uses,
                                           const std::vector<Buffer>& buffers);

}  // namespace thimble
