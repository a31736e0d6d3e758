// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "tests/support/extreme_inputs.h"
#include "tests/support/random_network.h"

namespace thimble::testing {

/// For noise, and at the ends of the types' ranges.
inline void expect_same_outputs(const Graph& before, const Graph& after, uint64_t seed) {
  std::vector<std::vector<Bytes>> sets = extreme_inputs(before, 2, seed);
  sets.push_back(noise(before, seed));
  for (const std::vector<Bytes>& inputs : sets)
    ASSERT_EQ(expected_outputs(before, inputs), expected_outputs(after, inputs));
}

}  // namespace thimble::testing
