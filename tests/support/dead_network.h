// SPDX-License-Identifier: Apache-2.0
// Networks with channels that are the same for every input: dead, constant, saturated.
#pragma once

#include "thimble/model/graph.h"
#include "zoo/random.h"

namespace thimble::testing {

/// Channel c of what a convolution or fully connected layer makes is `value` for every input: its
/// weights are 0, and so is its bias but for that.
void make_constant(Graph& graph, TensorId t, size_t c, int32_t value);

/// Channels of operators with weights that are made constant by chance: by weights of 0, or by a
/// bias beyond all sums.
void make_some_constant(Graph& graph, zoo::Random& random);

/// Convolutions with such channels, and between them everything that goes channel by channel, or
/// element by element with constants on either side, in int8 and in float32; every tensor that
/// nobody reads goes through a layer that sums over it, so that channels may go.
[[nodiscard]] Graph random_dead_network(uint64_t seed);

}  // namespace thimble::testing
