// SPDX-License-Identifier: Apache-2.0
// Improves an order where its peak is.
#pragma once

#include "thimble/search/exact_search.h"

namespace thimble {

struct WindowLimits {
  int64_t at_least = 0;  ///< no order has a smaller peak
  int64_t states = 0;    ///< of all searches together, about
  OrderBudget* budget = nullptr;
};

/// Puts consecutive operators around the peak into their best order, ever more of them, until the
/// peak stays or is at_least. Returns the states stored.
int64_t improve_windows(const OrderProblem& problem, FoundOrder& order, const WindowLimits& limits);

}  // namespace thimble
