// SPDX-License-Identifier: Apache-2.0
// What a network computes in real numbers: quantised constants stand for scale * (q - zero point),
// activations are float32 and never rounded to a grid. To choose scales by, and to see what
// quantisation costs.
#pragma once

#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

/// Row-major.
using RealValues = std::vector<float>;

/// The values of an integer or float tensor's bytes, by its quantisation (per tensor, or per index
/// of its axis); integers without a scale count as they are.
[[nodiscard]] RealValues dequantised(const Tensor& tensor, const Bytes& bytes);

/// The output of one operator; inputs: one per Op::inputs, constants among them.
[[nodiscard]] RealValues evaluate_real(const Graph& graph, const Op& op,
                                       const std::vector<const RealValues*>& inputs);

/// The clamp that is fused to an operator.
void apply(Activation activation, RealValues& values);

}  // namespace thimble
