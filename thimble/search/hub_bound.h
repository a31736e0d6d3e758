// SPDX-License-Identifier: Apache-2.0
// A bound on the peak of every order, from tensors with several readers.
#pragma once

#include <cstdint>

#include "thimble/search/execution.h"

namespace thimble {

/// Of such a tensor and an operator, either a reader comes after the operator: then all that is
/// before the operator was executed beside the tensor. Or all readers come before it: then the last
/// of them found what the others had made, beside the tensor.
///
///   x -> part 1, part 2, .. part 20       part k -> step k, which needs step k - 1
///
/// Either steps 1 and 2 are executed beside x, or nineteen parts lie beside x.
///
/// Few pairs are tried, as each takes cuts and a small exact search. known: a bound, which is the
/// result where no pair comes to more.
[[nodiscard]] int64_t hub_bound_bytes(const OrderProblem& problem, int64_t known,
                                      OrderBudget* budget = nullptr);

}  // namespace thimble
