// SPDX-License-Identifier: Apache-2.0
// Channels that learn whether they are needed: differentiable structured pruning (Liberis and Lane
// 2021, "Differentiable network pruning for microcontrollers"; Pex, section 3.5).
#pragma once

#include <torch/torch.h>

#include <vector>

#include "training/learn/network.h"
#include "training/network/channels.h"

namespace thimble::training {

/// A channel is open while its importance is above its group's threshold: times 1, else times 0.
/// Gradients take the step for a sigmoid.
class Gates {
 public:
  /// channels, network: must outlive it. Importances begin with magnitudes of the network, of mean
  /// 1 in each group.
  Gates(const Channels& channels, const Network& network);

  /// Multiplies what an operator with weights made.
  [[nodiscard]] torch::Tensor tap(TensorId t, torch::Tensor x) const;
  /// Numbers of open channels by group, with gradients of their importances and thresholds.
  [[nodiscard]] std::vector<torch::Tensor> widths() const;
  [[nodiscard]] Kept kept() const;
  /// The importance of each channel over its group's threshold.
  [[nodiscard]] std::vector<std::vector<float>> margins() const;

  /// By group.
  [[nodiscard]] std::vector<torch::Tensor>& importances() { return importances_; }
  [[nodiscard]] std::vector<torch::Tensor>& thresholds() { return thresholds_; }

 private:
  [[nodiscard]] torch::Tensor gate(size_t group) const;

  const Channels& channels_;
  std::vector<bool> gated_;  ///< by TensorId
  std::vector<torch::Tensor> importances_, thresholds_;
};

}  // namespace thimble::training
