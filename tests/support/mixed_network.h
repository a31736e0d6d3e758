// SPDX-License-Identifier: Apache-2.0
// Random networks of all operators and types.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "thimble/model/graph.h"

namespace thimble::testing {

constexpr int kMixedSteps = 7;

/// Up to kMixedSteps operators of any kind and type, as random_op_graph() draws them, each fed by
/// what the others made where types and shapes allow it, else by inputs of its own; at least one.
/// A step does not change what the others draw, so those of `left_out` can be taken away.
[[nodiscard]] Graph mixed_network(uint64_t seed, const std::set<int>& left_out = {});

/// What is wrong with a network; empty if nothing is.
using NetworkFault = std::function<std::string(const Graph&)>;

/// Steps without which mixed_network(seed) still has a fault, as many as can be left out one by
/// one.
[[nodiscard]] std::set<int> shrunk(uint64_t seed, const NetworkFault& fault);

/// The call that makes the network, its operators and their tensors: for a test of its own.
[[nodiscard]] std::string as_test(uint64_t seed, const std::set<int>& left_out);

}  // namespace thimble::testing
