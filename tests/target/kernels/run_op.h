// SPDX-License-Identifier: Apache-2.0
// One operator through the shipping kernels, in exact heap buffers.
#pragma once

#include "thimble/reference/interpreter.h"
#include "thimble/target/kernels/kernel.h"

namespace thimble::testing {

/// The whole output; method kCompute or kInPlace. values: of the graph's tensors; empty for
/// constants.
[[nodiscard]] Bytes run_op(const Graph& graph, const Op& op, Method method,
                           const TensorValues& values);

/// The whole output by kAccumulate in chunks that end at `ends` (ascending, the last one all
/// channels), then kFinalise.
[[nodiscard]] Bytes run_op_in_chunks(const Graph& graph, const Op& op, const TensorValues& values,
                                     const std::vector<int32_t>& ends);

}  // namespace thimble::testing
