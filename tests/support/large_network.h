// SPDX-License-Identifier: Apache-2.0
// Networks of thousands of small operators: what compiling takes must grow with their number.
#pragma once

#include "thimble/model/graph.h"

namespace thimble::testing {

/// How the operators hang together:
///   chain          x - o - o - o - y
///   wide           half of them read x; trees of additions join them
///   many outputs   a chain, each of whose tensors is an output of the network
enum class Form { kChain, kWide, kManyOutputs };
[[nodiscard]] const char* name(Form form);

/// `ops` elementwise operators on tensors of 64 bytes.
[[nodiscard]] Graph large_network(Form form, int ops);

}  // namespace thimble::testing
