// SPDX-License-Identifier: Apache-2.0
// Inputs at the ends of their types' ranges, where the bounds of channels lie.
#pragma once

#include <vector>

#include "thimble/model/graph.h"

namespace thimble::testing {

/// Sets of one value per input of the network: all least, all most, each element at an end by
/// chance (`random_sets` of these), and, where a convolution reads an int8 image, for each of its
/// filters images tiled with the ends that bring its sum as high, and as low, as it can get.
[[nodiscard]] std::vector<std::vector<Bytes>> extreme_inputs(const Graph& graph,
                                                             uint64_t random_sets, uint64_t seed);

}  // namespace thimble::testing
