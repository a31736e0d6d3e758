// SPDX-License-Identifier: Apache-2.0
// What networks of uint8 compute, on raw uint8, by the formulas of TensorFlow Lite's reference
// kernels (tensorflow/lite/kernels/internal/reference). It shares no code with thimble/reference.
#pragma once

#include <vector>

#include "thimble/model/graph.h"

namespace thimble::testing {

/// The values of the graph's outputs. Its activations are uint8; operators are those of
/// random_uint8_network.
[[nodiscard]] std::vector<Bytes> interpret_uint8(const Graph& graph,
                                                 const std::vector<Bytes>& inputs);

}  // namespace thimble::testing
