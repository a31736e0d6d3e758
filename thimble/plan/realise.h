// SPDX-License-Identifier: Apache-2.0
// A plan with kernels and addresses: what a search decided, once it is built and laid out.
#pragma once

#include "thimble/plan/choose_kernels.h"
#include "thimble/plan/placement.h"
#include "thimble/plan/transfer_wait.h"

namespace thimble {

struct RealisedPlan {
  Plan plan;          ///< with its kernels
  Schedule schedule;  ///< what build() makes of it
  Placement placement;
  double instructions = 0;  ///< estimated, of an inference
  double wait_cycles = 0;   ///< for slow memories and storage, likewise
  int64_t macs = 0;         ///< executed
};

/// docs/kernels.md, Scratch.
constexpr int64_t kScratchShare = 8;

/// Realises one plan with more or less room for the scratch of fast kernels.
class Realisation {
 public:
  /// All must outlive it. plan: without kernels; its groups have derivations. latency: of the
  /// same instances.
  Realisation(const Dataflow& dataflow, const LatencyEstimate& latency, Plan plan,
              const PlacementOptions& options);

  [[nodiscard]] int64_t executed_macs() const { return macs_; }
  /// Adds kernels as KernelSelection::add_format does.
  void add_format(const LatencyEstimate& latency, PackedBytes& packed) {
    choice_.add_format(latency, packed);
  }
  /// Plans wait so long for their storage, if they have one.
  void add_waits(const TransferCycles& cycles);
  /// The fastest kernels that leave no more live than these bytes, or than portable ones do.
  [[nodiscard]] KernelSelection::Chosen live_within(int64_t live_bytes);
  /// work: of the layout, if it is not that of the options.
  [[nodiscard]] RealisedPlan with(KernelSelection::Chosen chosen,
                                  std::optional<int64_t> work = std::nullopt);
  /// With the fastest for which the arena is as small: alignment and holes may want some of the
  /// room. Where not even portable kernels fit it is no larger than with these; by default larger
  /// by one of kScratchShare parts at the most.
  [[nodiscard]] RealisedPlan arena_within(std::optional<int64_t> arena_bytes,
                                          std::optional<int64_t> weight_bytes = std::nullopt);

 private:
  /// work: of each layout.
  [[nodiscard]] std::optional<RealisedPlan> fastest_within(int64_t arena_bytes,
                                                           std::optional<int64_t> weight_bytes,
                                                           int64_t work);

  const Dataflow& flow_;
  PlacementOptions options_;
  Plan plan_;
  const Schedule schedule_;  ///< without kernels
  const int64_t macs_;
  const LatencyEstimate& latency_;
  KernelSelection choice_;
  double wait_cycles_ = 0;
};

/// Realises a plan for one core, within so many bytes.
[[nodiscard]] RealisedPlan realised(const Graph& graph, Plan plan, const Core& core,
                                    std::optional<int64_t> arena_bytes,
                                    const PlacementOptions& options);

}  // namespace thimble
