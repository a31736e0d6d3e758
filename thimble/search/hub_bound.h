// SPDX-License-Identifier: Apache-2.0
// A bound on the peak of every order, from tensors with several readers.
#pragma once

#include <cstdint>

#include "thimble/search/execution.h"

namespace thimble {

/// For a tensor with several readers and an operator, either a reader comes after the operator:
/// then all that is before the operator was executed beside the tensor. Or all readers come before
/// it: then the last of them found what the others had made, beside the tensor.
///
///   x -> part 1, part 2, .. part 20       part k -> step k, which needs step k - 1
///
/// Either steps 1 and 2 are executed beside x, or nineteen parts lie beside x.
///
/// Few pairs are tried, as each takes cuts and a small exact search.
struct HubBound {
  int64_t bytes = 0;
  int hub = -1;  ///< the tensor that raised it; -1: none comes to more than what was known
};
[[nodiscard]] HubBound hub_bound(const OrderProblem& problem, int64_t known_bytes,
                                 OrderBudget* budget = nullptr);

/// Operators that can be executed while the reader of the tensor that the fewest others need is
/// still to come, ascending.
[[nodiscard]] std::vector<int> all_beside(const OrderProblem& problem, int hub);

}  // namespace thimble
