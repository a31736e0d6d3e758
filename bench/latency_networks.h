// SPDX-License-Identifier: Apache-2.0
// Random networks of one to six operators, in the sizes of networks for microcontrollers, and the
// plans that cut them into pieces: what a latency model is fitted to.
#pragma once

#include <string>

#include "thimble/model/graph.h"
#include "zoo/random.h"

namespace thimble {

struct LatencyNetwork {
  Graph graph;
  std::string planner;     ///< NAME:key=value
  bool in_pieces = false;  ///< whole operators instead, cut by random_schedule()
};

/// Two to six operators on images, one after the other, now and then around a shortcut.
[[nodiscard]] Graph latency_chain(uint64_t seed);

/// Tensors joined along an axis, and a piece of what they are.
[[nodiscard]] Graph latency_copies(uint64_t seed);

/// One layer that instruction sets have kernels for.
[[nodiscard]] Graph latency_layer(uint64_t seed);

/// One depthwise convolution, whose kernels do with much scratch or with little.
[[nodiscard]] Graph latency_depthwise(uint64_t seed);

/// One operator that is a function, a quotient or a power, of float32 now and then.
[[nodiscard]] Graph latency_function(uint64_t seed);

/// Consecutive seeds go through all kinds of operators.
[[nodiscard]] LatencyNetwork latency_network(uint64_t seed);

}  // namespace thimble
