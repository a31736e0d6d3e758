// SPDX-License-Identifier: Apache-2.0
// What a published figure is a figure of.
#pragma once

#include <cstdint>

namespace thimble {

enum class Metric : uint8_t {
  // A plan's.
  kPeakBytes,
  kArenaBytes,
  kLiveBytes,  ///< at one step
  kMacs,
  kExtraMacsPercent,
  kWeightBytes,
  kActivationBytes,  ///< all activations together, each counted once
  // Counted by TinySeg's algorithms (planners/tinyseg_count.h); `planner` has the steps.
  kTflmArenaBytes,    ///< by the interpreter's planner
  kTflmSavedPercent,  ///< less than without any step
  // A plan's, simulated on a device of the paper's; without one, of a board that nobody has.
  kLatency,
  // Counted by SwapNN's (planners/swapnn_count.h), if that is the planner; times on a device of the
  // paper's.
  kIoTasks,
  kIoSeconds,
  kLatencyPercent,  ///< more than with enough memory
  kThroughputLossPercent,
  kWrittenBytesPerDay,
  kCardYears,
  kEnergy,  ///< of a board
};
[[nodiscard]] const char* name(Metric metric);  ///< "peak_bytes", ...

}  // namespace thimble
