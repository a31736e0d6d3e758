// SPDX-License-Identifier: Apache-2.0
// The int8 network as LibTorch executes it, many samples at a time: sums of products are its own,
// in float64, where they are exact; what follows them is the fixed-point arithmetic of the format.
#pragma once

#include <vector>

#include "thimble/model/graph.h"

namespace thimble::training {

/// The output's bytes for each sample of the input's. graph: of one input and output in int8, with
/// or without narrow accumulators.
[[nodiscard]] std::vector<Bytes> integer_outputs(const Graph& graph,
                                                 const std::vector<Bytes>& samples);

}  // namespace thimble::training
