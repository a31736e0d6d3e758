// SPDX-License-Identifier: Apache-2.0
// What a network computes in float32, bit by bit: every sum begins at 0 and goes by rows, columns
// and channels, then comes the bias; functions are those of thimble_runtime/real_functions.h. Of a
// quantised network: what it computes in real numbers, its constants standing for scale * (q - zero
// point), its activations never rounded to a grid; to choose scales by, and to see what
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

/// What a fused activation lets pass; all numbers without one.
struct RealRange {
  float min, max;
};
[[nodiscard]] RealRange real_range(Activation activation);
/// The clamp that is fused to an operator.
void apply(Activation activation, RealValues& values);

}  // namespace thimble
