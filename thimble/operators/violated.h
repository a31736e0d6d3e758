// SPDX-License-Identifier: Apache-2.0
// Which constraint an operator does not meet, for those who do not ask for its text alone.
#pragma once

#include "thimble/operators/constraint.h"

namespace thimble {

/// The first; its text is null where nothing is violated.
[[nodiscard]] Constraint violated(const Graph& graph, const Op& op);

}  // namespace thimble
