// SPDX-License-Identifier: Apache-2.0
// The interpreter beside the recorded values of TensorFlow Lite Micro.
#pragma once

#include <string>

#include "tests/support/golden.h"

namespace thimble::testing {

struct Counts {
  size_t inferences = 0, op_outputs = 0, outputs = 0;
};

/// The first difference on any seed (of seed 1 at every operator), or empty.
std::string compare(const Graph& graph, const Golden& golden, Counts& counts);

}  // namespace thimble::testing
