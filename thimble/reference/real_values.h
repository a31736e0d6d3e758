// SPDX-License-Identifier: Apache-2.0
// Tensors in float32, and the clamps of fused activations on them.
#pragma once

#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

/// Row-major.
using RealValues = std::vector<float>;

/// The values of an integer or float tensor's bytes, by its quantisation (per tensor, or per index
/// of its axis); integers without a scale count as they are.
[[nodiscard]] RealValues dequantised(const Tensor& tensor, const Bytes& bytes);

/// What a fused activation lets pass; all numbers without one.
struct RealRange {
  float min, max;
};
[[nodiscard]] RealRange real_range(Activation activation);
/// The clamp that is fused to an operator.
void apply(Activation activation, RealValues& values);

}  // namespace thimble
