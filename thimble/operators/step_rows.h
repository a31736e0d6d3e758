// SPDX-License-Identifier: Apache-2.0
// The rows of a StepLoop's step: where the elements of a tensor are that only looks at another one.
#pragma once

#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

/// Elements [begin, begin + those of the tensor that was asked for) of an input, a constant, or
/// what an operator computes.
struct StepRow {
  TensorId tensor;
  int64_t begin = 0;
};

/// Whether elements are side by side along the last axis.
[[nodiscard]] bool is_row(const Shape& shape);
/// Whether it computes nothing: RESHAPE, and SLICE of a run of elements.
[[nodiscard]] bool is_view(const Graph& step, const Op& op);
/// producers: of the step.
[[nodiscard]] StepRow step_row(const Graph& step, const std::vector<OpId>& producers,
                               TensorId tensor);
/// Whether StepLoop can have it, if unsupported_reason() has nothing against it: one row of int8,
/// of others, by TensorFlow Lite's arithmetic.
[[nodiscard]] bool is_step_operator(const Graph& step, const Op& op);

}  // namespace thimble
