// SPDX-License-Identifier: Apache-2.0
// An execution completed without a search.
#pragma once

#include <vector>

#include "thimble/search/execution.h"

namespace thimble {

/// Appends what is left to `ops`, which has been executed: next the operator that leaves the fewest
/// live bytes (ties: smaller working set, then file order).
void complete_greedily(const OrderProblem& problem, const OrderLinks& links, Execution& execution,
                       std::vector<int>& ops);

}  // namespace thimble
