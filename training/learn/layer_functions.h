// SPDX-License-Identifier: Apache-2.0
// Operators of a graph as functions of LibTorch.
#pragma once

#include <torch/torch.h>

#include <vector>

#include "thimble/model/graph.h"

namespace thimble::training {

/// Throws CompileError for an operator that layer() does not know and that has no weights.
void check_trainable(const Op& op, const Graph& graph);
/// An operator without weights. x: its operands; constants among them with their channels second.
[[nodiscard]] torch::Tensor layer(const Op& op, const Graph& graph,
                                  const std::vector<torch::Tensor>& x);
/// weights: O x I x H x W; as many groups as they leave. bias may be undefined.
[[nodiscard]] torch::Tensor convolution(const torch::Tensor& x, const torch::Tensor& weights,
                                        const torch::Tensor& bias, const Window& window);
[[nodiscard]] torch::Tensor activated(torch::Tensor x, Activation activation);

}  // namespace thimble::training
