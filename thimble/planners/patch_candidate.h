// SPDX-License-Identifier: Apache-2.0
// One way to execute a network in patches, what it costs, and its schedule.
#pragma once

#include "thimble/planners/patch_stage.h"
#include "thimble/search/order.h"

namespace thimble {

/// A stage, and what follows it whatever the patches are.
struct PatchSplit {
  PatchStage stage;
  OrderProblem problem;           ///< of the network; nothing of the stage executes in place
  Order rest;                     ///< operators behind the stage, by OpId
  std::optional<TensorId> under;  ///< input in whose bytes the split tensor may lie
};
/// share_input: the split tensor may lie over an input that only the stage reads.
[[nodiscard]] PatchSplit patch_split(const Graph& graph, const OrderProblem& problem,
                                     PatchStage stage, bool share_input);

struct PatchCandidate {
  PatchGrid grid;
  std::vector<Buffer> slices;  ///< by tensor: those that the stage makes, but for the split
  PatchRegions regions;
  std::vector<bool> recomputed;  ///< per tensor: patches share some of it
  Order order;                   ///< of the stage, by OpId; bytes of its slices alone
  int64_t input_bytes = 0;       ///< of all inputs of the network
  int64_t held_bytes = 0;        ///< live in every patch: inputs and split tensor
  int64_t stage_macs = 0;        ///< without recomputation
  int64_t recomputed_macs = 0;   ///< less than 0 where patches leave out what nobody reads

  [[nodiscard]] int64_t stage_bytes() const { return held_bytes + order.peak_bytes; }
};
/// Or why the stage cannot be executed in these patches.
[[nodiscard]] std::variant<PatchCandidate, std::string> patch_candidate(const Graph& graph,
                                                                        PatchAnalysis& analysis,
                                                                        const PatchSplit& split,
                                                                        const PatchGrid& grid);

/// The whole network.
[[nodiscard]] Schedule patch_schedule(const Graph& graph, const PatchSplit& split,
                                      const PatchCandidate& candidate, bool in_place);

}  // namespace thimble
