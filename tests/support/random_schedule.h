// SPDX-License-Identifier: Apache-2.0
// Legal schedules at random: a plan changed step by step in ways that keep what it computes.
#pragma once

#include <map>
#include <string>

#include "thimble/schedule/schedule.h"
#include "zoo/random.h"

namespace thimble::testing {

struct RandomSchedule {
  Schedule schedule;
  /// How often each change was made: "split", "accumulate", "sink", "block".
  std::map<std::string, int> changes;
  /// Why others were not: what a schedule or a kernel cannot do.
  std::map<std::string, int> refused;
};

/// Up to `tries` changes, of those that kernels can take:
///   split       a step becomes a loop over parts of its region along an axis
///   accumulate  a convolution adds chunks of its input channels, in a loop, and is finalised
///   sink        a step moves into the loop that reads its output and computes there what an
///               iteration needs, into a slice: halos are computed again
///   block       a tensor's buffer becomes several along an axis, each written by a step of its own
/// Loops are nested up to four deep. Copies are added where windows cross blocks, and steps that
/// recompute say so.
[[nodiscard]] RandomSchedule random_schedule(const Graph& graph, const Schedule& start, int tries,
                                             zoo::Random& random);

/// Empty, or why no kernel can take the pieces of a schedule that is not malformed.
[[nodiscard]] std::string not_lowered(const Graph& graph, const Schedule& schedule);

}  // namespace thimble::testing
