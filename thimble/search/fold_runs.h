// SPDX-License-Identifier: Apache-2.0
// Makes one operator of those between which a best order never needs to do anything else.
//
// A linear run a -> b -> c -> ... (each tensor read once, nothing else involved) has hills, the
// working sets, and valleys, the tensors between. Stopping in a valley to execute something else is
// of use only before a higher hill if the valley is lower than the one before it, or after a higher
// hill if it is lower than the one behind it (Liu 1987, "An application of generalized tree
// pebbling to sparse matrix factorization"). All other stops are folded:
//
//   hills      90    120   60    80           90 120         60 80 -> 80
//   valleys 50    40    30    70    20     50    40      30          20
#pragma once

#include <vector>

#include "thimble/search/order.h"

namespace thimble {

struct FoldedRuns {
  OrderProblem problem;  ///< the same tensors, fewer operators; scratch may be negative
  std::vector<std::vector<int>>
      runs;  ///< per operator of `problem`: those of the original, in order
};

/// The least peak over all orders stays what it is.
[[nodiscard]] FoldedRuns fold_runs(const OrderProblem& problem);

}  // namespace thimble
