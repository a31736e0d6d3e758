// SPDX-License-Identifier: Apache-2.0
// Channels that are open or closed while the network learns, and what each is worth: differentiable
// structured pruning (Liberis and Lane 2021, "Differentiable network pruning for microcontrollers";
// Pex, section 3.5), where the compiler says how many channels there is room for.
#pragma once

#include <torch/torch.h>

#include <vector>

#include "training/learn/network.h"
#include "training/network/channels.h"

namespace thimble::training {

/// A gate multiplies what makes a channel, by 1 or 0. What the channel is worth is how much the
/// loss would change without it, to first order: the square of the loss's gradient by the gate, on
/// average (Molchanov et al. 2019, "Importance estimation for neural network pruning"). Closed
/// channels have gradients as well, and so may come back.
class Gates {
 public:
  /// channels, network: must outlive it. Everything is open.
  Gates(const Channels& channels, const Network& network);

  /// Multiplies what an operator with weights made.
  [[nodiscard]] torch::Tensor tap(TensorId t, const torch::Tensor& x) const;
  /// Takes the gradients of one batch.
  void learn();

  [[nodiscard]] Kept kept() const;
  void keep(const Kept& kept);
  /// In each group closed channels take the place of open ones that are worth much less.
  void exchange();
  /// By group and channel: above 0.
  [[nodiscard]] std::vector<std::vector<float>> worths() const;

  /// By group.
  [[nodiscard]] std::vector<torch::Tensor>& gates() { return gates_; }
  [[nodiscard]] std::vector<torch::Tensor>& averages() { return averages_; }

 private:
  const Channels& channels_;
  std::vector<bool> gated_;  ///< by TensorId
  std::vector<torch::Tensor> gates_, averages_;
};

/// By group and channel: magnitudes of what makes the channel.
[[nodiscard]] std::vector<std::vector<float>> magnitudes(const Channels& channels,
                                                         const Network& network);

}  // namespace thimble::training
