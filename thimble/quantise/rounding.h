// SPDX-License-Identifier: Apache-2.0
// Weights rounded up or down by what that does to their layer's output, and biases that make up for
// what is left of it on average.
//
// The objective is AdaRound's (Nagel et al. 2020, arXiv 2004.10568, section 3.2): with weights q in
// steps of their scale for v, and windows x, the expected (sum over k of (q_k - v_k) x_k)^2, which
// is (q - v)' C (q - v) + ((q - v) . m)^2, C the covariance of x and m its mean. A bias takes the
// second term away (Nagel et al. 2019, arXiv 1906.04721, section 4.2); the first one is descended
// over the integers themselves, place by place, instead of a relaxation of them.
#pragma once

#include <optional>
#include <vector>

#include "thimble/quantise/patch_sums.h"
#include "thimble/quantise/quantise.h"

namespace thimble {

/// By layer of Quantised::layers; nothing: PatchSums does not know it, or nobody asked.
using LayerSums = std::vector<std::optional<PatchSums>>;

/// Those that are asked for and known, with nothing added. made must stay where it is.
[[nodiscard]] LayerSums layer_sums(const Quantised& made, bool products);

/// Integers of at most `largest` by which (q - v)' moments (q - v) has a local minimum: no change
/// of one of them makes it less. moments: symmetric, v.size() rows.
[[nodiscard]] std::vector<int32_t> least_error_integers(const std::vector<double>& moments,
                                                        const std::vector<double>& v,
                                                        int32_t largest);

/// Weights of layers whose products are known, on `jobs` threads. Of fewer than 8 bits their scales
/// are chosen by that error, too. real: the network that `made` was made of.
void round_by_error(Quantised& made, const Graph& real, const LayerSums& sums, int jobs);
/// Biases of all known layers that have one.
void correct_biases(Quantised& made, const Graph& real, const LayerSums& sums);

}  // namespace thimble
