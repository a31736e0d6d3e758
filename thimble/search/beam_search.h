// SPDX-License-Identifier: Apache-2.0
// A good order, fast: of all states with the same number of operators, only the best few.
#pragma once

#include "thimble/search/exact_search.h"

namespace thimble {

struct BeamLimits {
  int64_t width = 0;              ///< states kept with the same number of operators
  int64_t states = 0;             ///< to store; past them only the best one is kept
  int64_t at_least = 0;           ///< no order has a smaller peak
  int64_t below = 0;              ///< a peak that is known already
  OrderBudget* budget = nullptr;  ///< nothing is found once it is spent
};

struct BeamResult {
  std::optional<FoundOrder> found;  ///< with a peak below the one that is known
  int64_t states = 0;
};

/// The best are those with the least peak so far, then with the fewest live bytes.
[[nodiscard]] BeamResult beam_search(const OrderProblem& problem, const OrderLinks& links,
                                     Direction direction, const BeamLimits& limits);

}  // namespace thimble
