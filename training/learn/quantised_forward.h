// SPDX-License-Identifier: Apache-2.0
// A network that computes with the rounding of its int8 form while it learns (Jacob et al. 2018;
// Pex, section 3.4).
#pragma once

#include <torch/torch.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "thimble/model/graph.h"
#include "thimble/quantise/range.h"
#include "thimble/quantise/scale_groups.h"
#include "training/learn/network.h"

namespace thimble::training {

/// Sums that a plan keeps in 16 or 8 bits, a chunk of channels at a time.
struct LearntAccumulator {
  int64_t chunk = 1;
  int32_t least = -128, most = 127, zero_point = 0;
  torch::Tensor log_scale;  ///< learns; undefined until sums were seen
};

class QuantisedForward {
 public:
  /// graph: must outlive it.
  explicit QuantisedForward(const Graph& graph);

  /// Round what the network computes. With `observes` ranges follow what is seen, by moving
  /// averages.
  [[nodiscard]] Taps taps(bool observes);
  /// By TensorId of the outputs whose sums are narrow.
  void accumulate(std::map<int32_t, LearntAccumulator> accumulators) {
    accumulators_ = std::move(accumulators);
  }
  [[nodiscard]] std::map<int32_t, LearntAccumulator>& accumulators() { return accumulators_; }
  [[nodiscard]] Ranges& ranges() { return ranges_; }

 private:
  void observe(TensorId t, const torch::Tensor& x);
  [[nodiscard]] torch::Tensor rounded(TensorId t, const torch::Tensor& x);
  [[nodiscard]] torch::Tensor accumulated(const Op& op, const torch::Tensor& x,
                                          const torch::Tensor& weights, const torch::Tensor& bias);
  [[nodiscard]] const ScaleGroups& scales();

  const Graph& graph_;
  DemandsOfOps demands_;
  std::vector<bool> quantised_;  ///< by TensorId
  Ranges ranges_;
  std::optional<ScaleGroups> scales_;  ///< of the ranges; nothing: they have changed
  std::map<int32_t, LearntAccumulator> accumulators_;
};

}  // namespace thimble::training
