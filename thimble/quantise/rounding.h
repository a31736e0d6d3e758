// SPDX-License-Identifier: Apache-2.0
// Weights rounded up or down by what that does to their layer's output, and biases that make up for
// what is left of it on average; layer by layer, with what the layers before have become.
//
// Weights q stand in steps of their scale for v, a window holds x where the float network has
// x + d. AdaRound's objective (Nagel et al. 2020, arXiv 2004.10568, sections 3.2 and 3.4) is
// E[(q . x + b - v . (x + d))^2]. A bias takes the mean of it away (Nagel et al. 2019, arXiv
// 1906.04721, section 4.2); what remains is, but for a constant,
//   (q - v)' C (q - v) - 2 (q - v)' D v,   C the covariance of x, D that of x with d,
// which is descended over the integers themselves, place by place, instead of a relaxation.
#pragma once

#include <functional>
#include <vector>

#include "thimble/quantise/quantise.h"

namespace thimble {

/// Integers q of at most `largest` where (q - v)' moments (q - v) - 2 (q - v)' pull has a local
/// minimum: no change of one of them makes it less. moments: symmetric, v.size() rows.
[[nodiscard]] std::vector<int32_t> least_error_integers(const std::vector<double>& moments,
                                                        const std::vector<double>& pull,
                                                        const std::vector<double>& v,
                                                        int32_t largest);

struct LayerRefinement {
  bool rounds = true;  ///< weights, too; those of fewer than 8 bits have their scales chosen anew
  int jobs = 1;
  std::function<void(size_t layers, size_t of)> progress = {};
};

/// real: what `made` was made of. inputs: of several inferences with both. Layers that PatchSums
/// does not know stay as they are.
void refine_layers(Quantised& made, const Graph& real,
                   const std::vector<std::vector<Bytes>>& made_inputs,
                   const std::vector<std::vector<Bytes>>& real_inputs,
                   const LayerRefinement& refinement);

}  // namespace thimble
