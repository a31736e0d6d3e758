// SPDX-License-Identifier: Apache-2.0
// The layout problems of a schedule's memories, wherever its buffers may be put.
#pragma once

#include <vector>

#include "thimble/analysis/overlaps.h"
#include "thimble/layout/layout.h"
#include "thimble/schedule/schedule.h"

namespace thimble {

/// Lives and overlaps are derived once; they do not depend on memories, but for buffers that would
/// overlap and lie in different ones.
class LayoutProblems {
 public:
  /// The schedule must outlive it.
  LayoutProblems(const Graph& graph, const Schedule& schedule, const KernelUses& uses);

  /// The problem of `memory`, with buffer b in memory where[b]; those elsewhere have size 0.
  /// alignment_1: as if every type could lie anywhere.
  [[nodiscard]] layout::Problem problem_of(MemoryId memory, const std::vector<MemoryId>& where,
                                           bool alignment_1) const;

  [[nodiscard]] const std::vector<LiveRange>& lives() const { return lives_; }

 private:
  const Schedule& schedule_;
  std::vector<LiveRange> lives_;
  std::vector<Overlap> overlaps_;
};

/// The memory of each buffer as the schedule has it.
[[nodiscard]] std::vector<MemoryId> memories_of_buffers(const Schedule& schedule);

}  // namespace thimble
