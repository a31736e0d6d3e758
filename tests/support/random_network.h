// SPDX-License-Identifier: Apache-2.0
// Random networks of several operators, and what they compute.
#pragma once

#include <vector>

#include "thimble/model/graph.h"

namespace thimble::testing {

/// Two to eight operators on images and on what they become, all of them supported: several inputs,
/// outputs in the middle, constants, broadcasts, transposes at the edges.
[[nodiscard]] Graph random_network(uint64_t seed);

/// Convolutions and depthwise ones, additions where shapes allow it, a branch now and then.
[[nodiscard]] Graph random_chain(uint64_t seed);

/// One to three times a convolution to many channels, a window, a convolution to few; larger images
/// than others have.
[[nodiscard]] Graph random_bottlenecks(uint64_t seed);

/// Layers of attention, of one head or several, among layers that go token by token.
[[nodiscard]] Graph random_attention(uint64_t seed);

/// One per input of the network.
[[nodiscard]] std::vector<Bytes> noise(const Graph& graph, uint64_t seed);
/// By the reference interpreter, in the bytes of the ports.
[[nodiscard]] std::vector<Bytes> expected_outputs(const Graph& graph,
                                                  const std::vector<Bytes>& inputs);

}  // namespace thimble::testing
