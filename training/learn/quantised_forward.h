// SPDX-License-Identifier: Apache-2.0
// A network that computes with the rounding of its int8 form while it learns (Jacob et al. 2018;
// Pex, section 3.4).
#pragma once

#include <torch/torch.h>

#include <optional>
#include <vector>

#include "thimble/model/graph.h"
#include "thimble/quantise/range.h"
#include "thimble/quantise/scale_groups.h"
#include "training/learn/accumulators.h"
#include "training/learn/network.h"

namespace thimble::training {

class QuantisedForward {
 public:
  /// graph: must outlive it. accumulators: of those of its operators whose sums are narrow.
  QuantisedForward(const Graph& graph, LearntAccumulators accumulators);

  /// Round what the network computes. With `observes` ranges follow what is seen, by moving
  /// averages.
  [[nodiscard]] Taps taps(bool observes);
  /// The sums of what the network computes next make room for themselves in narrow accumulators.
  void observe_sums(bool observes) { observes_sums_ = observes; }
  [[nodiscard]] LearntAccumulators& accumulators() { return accumulators_; }
  [[nodiscard]] Ranges& ranges() { return ranges_; }

 private:
  void observe(TensorId t, const torch::Tensor& x);
  [[nodiscard]] torch::Tensor rounded(TensorId t, const torch::Tensor& x);
  [[nodiscard]] const ScaleGroups& scales();

  const Graph& graph_;
  DemandsOfOps demands_;
  std::vector<bool> quantised_;  ///< by TensorId
  Ranges ranges_;
  std::optional<ScaleGroups> scales_;  ///< of the ranges; nothing: they have changed
  LearntAccumulators accumulators_;
  bool observes_sums_ = false;
};

}  // namespace thimble::training
