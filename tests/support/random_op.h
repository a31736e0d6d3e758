// SPDX-License-Identifier: Apache-2.0
// Random networks of one operator, for property tests. Consecutive seeds cover every operator.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/model/graph.h"
#include "zoo/random.h"

namespace thimble::testing {

/// One operator with all of its operands, which unsupported_reason() lets pass: odd sizes, strides,
/// dilation, paddings, groups, multipliers, broadcasts, extreme zero points. Weights and biases,
/// and now and then another operand, are constants; the rest are inputs of the network. Its
/// operator is alternative seed % (number of operators) of Attributes.
[[nodiscard]] Graph random_op_graph(uint64_t seed);

/// The network with all tensors float32 and other constants, but for weights of every other network
/// that may be int8; without operators if one of them is not taken so.
[[nodiscard]] Graph in_float32(Graph graph, uint64_t seed);

/// The network as if its int8 had been uint8 (Arithmetic::kTfliteUint8); weights of one scale get a
/// zero point. As it is where that means nothing.
[[nodiscard]] Graph as_uint8(Graph graph, uint64_t seed);

/// `count` indices along an axis of that extent, and up to two beyond it on either side.
[[nodiscard]] Bytes random_positions(int64_t count, int64_t extent, zoo::Random& random);

/// Random row-major bytes of a tensor, over the type's range; float32: over the range of `graph`'s
/// quantised output, and somewhat beyond.
[[nodiscard]] Bytes random_values(const Graph& graph, TensorId tensor, zoo::Random& random);

/// As interpret() and interpret_op() take them: one per tensor, empty for constants and outputs.
[[nodiscard]] std::vector<Bytes> random_inputs(const Graph& graph, uint64_t seed);

}  // namespace thimble::testing
