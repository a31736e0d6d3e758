// SPDX-License-Identifier: Apache-2.0
// Kernels for the steps of a plan: the fastest of the core's for whose scratch there is room.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "thimble/plan/latency_estimate.h"
#include "thimble/plan/packed_bytes.h"
#include "thimble/schedule/kernel_fit.h"

namespace thimble {

/// What kernels may take.
struct KernelLimits {
  int64_t live_bytes = 0;               ///< of the arena, at any step
  std::optional<int64_t> weight_bytes;  ///< of flash, packed constants; nothing: any
  int64_t scratch_bytes = std::numeric_limits<int64_t>::max();  ///< of each
  int64_t free_bytes = 0;  ///< live at a step: with no more, its scratch is not limited
};

/// Selects kernels for one plan, which names none yet.
class KernelSelection {
 public:
  struct Chosen {
    std::vector<StepKernel> kernels;  ///< for Plan::kernels
    double instructions = 0;          ///< estimated, of an inference
    int64_t live_bytes = 0;           ///< the most at any step
  };

  /// All must outlive it. Groups of the plan have derivations. schedule: what build() makes of it.
  /// latency: of the same instances.
  KernelSelection(const Dataflow& dataflow, const Plan& plan, const Schedule& schedule,
                  const LatencyEstimate& latency);

  /// Kernels of another core, too: of the same with weights in a smaller format. Each operator has
  /// its own.
  void add_format(const LatencyEstimate& latency, PackedBytes& packed);

  /// With the fastest kernels within the limits; where the portable ones are not, these.
  [[nodiscard]] Chosen within(const KernelLimits& limits);
  [[nodiscard]] const Chosen& portable() const { return portable_; }
  /// What estimates hold for lying over its input at a step that may; 0 elsewhere.
  [[nodiscard]] double over_input(Position position, const StepKernel& kernel);

 private:
  struct Format {
    const KernelTimes* times = nullptr;
    std::vector<std::optional<bool>> fit;  ///< per time: whether the kernel takes the step
  };
  struct Call {
    const Step* step = nullptr;
    int64_t live_bytes = 0;                    ///< without its scratch
    std::vector<Format> formats;               ///< none: a copy that closes a state
    const InstanceCall* over_input = nullptr;  ///< PlannedCall's
    std::optional<KernelTime> kernel = {};     ///< that brought constants are of
  };
  [[nodiscard]] const KernelTime& of_kernel(Call& call, const KernelTimes& times,
                                            const KernelLimits& limits) const;
  [[nodiscard]] const KernelTime& fastest(Call& call, size_t format, const KernelLimits& limits);
  [[nodiscard]] std::map<OpId, size_t> formats_within(const KernelLimits& limits);
  void add_times(LatencyEstimate& latency);

  const Dataflow& flow_;
  const Plan& plan_;
  LatencyEstimate latency_;
  const double program_;
  KernelFits fits_;
  std::vector<Call> calls_;  ///< per step as written
  PackedBytes* packed_ = nullptr;
  Chosen portable_;
};

}  // namespace thimble
