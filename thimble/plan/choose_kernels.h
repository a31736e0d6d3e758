// SPDX-License-Identifier: Apache-2.0
// Kernels for the steps of a plan: the fastest of the core's for whose scratch there is room.
#pragma once

#include <optional>
#include <vector>

#include "thimble/plan/latency_estimate.h"
#include "thimble/schedule/kernel_fit.h"

namespace thimble {

/// Of one plan, which names no kernels yet.
class KernelSelection {
 public:
  /// All must outlive it. Groups of the plan have derivations. schedule: what build() makes of it.
  /// latency: of the same instances.
  KernelSelection(const Dataflow& dataflow, const Plan& plan, const Schedule& schedule,
                  LatencyEstimate& latency);

  struct Chosen {
    std::vector<StepKernel> kernels;  ///< for Plan::kernels
    double instructions = 0;          ///< estimated, of an inference
    int64_t live_bytes = 0;           ///< the most at any step
  };
  /// With kernels that leave no more bytes than these live at any step, if the portable ones do.
  [[nodiscard]] Chosen within(int64_t live_bytes);
  [[nodiscard]] const Chosen& portable() const { return portable_; }

 private:
  struct Call {
    const Step* step = nullptr;
    const KernelWays* ways = nullptr;
    int64_t live_bytes = 0;                ///< without its scratch
    std::vector<std::optional<bool>> fit;  ///< per way: whether the kernel takes the step
  };
  [[nodiscard]] const KernelWay& fastest(Call& call, int64_t room_bytes);

  const double program_;
  KernelFits fits_;
  std::vector<Call> calls_;  ///< per step as written
  Chosen portable_;
};

}  // namespace thimble
