// SPDX-License-Identifier: Apache-2.0
// A bound on the peak of every order, without a search.
#pragma once

#include <cstdint>

#include "thimble/search/order_problem.h"

namespace thimble {

/// Largest, over operators, of the bytes live for certain while it executes: its own, and each
/// tensor made by its ancestors (or the caller) that it or a descendant reads, or that is an
/// output.
///
///   a -> x -> b,  x -> c -> y -> d(b, y)      while c executes x and y are live; b's output
///   perhaps
[[nodiscard]] int64_t peak_bound_bytes(const OrderProblem& problem);

}  // namespace thimble
