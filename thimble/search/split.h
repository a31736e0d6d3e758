// SPDX-License-Identifier: Apache-2.0
// Parts of an order problem that can be ordered one after the other.
//
// Let M be a state with no more live bytes than any other. Then a best order goes by way of M: if
// S1 < S2 < ... are the states of any order, then S1 and M < S2 and M < ... < M < S1 or M < ... is
// one as well, and live(S and M) + live(S or M) <= live(S) + live(M), where neither term is below
// live(M): no state has more live bytes than it had (walker.h has the same for working in place;
// the problem must be regular). So the least peak is the largest of those before and behind M.
// Within a part the same holds for a state with no more live bytes than at both ends of the part.
#pragma once

#include "thimble/search/execution.h"

namespace thimble {

/// Some of the operators of a problem, in its states from one that has executed none of them to one
/// that has executed them all.
struct Part {
  OrderProblem problem;  ///< all tensors; those live throughout are network inputs and outputs
  std::vector<int> ops;  ///< per operator of `problem`: that of the whole
};

/// Parts whose orders, put together, are an order of the whole; the largest of their least peaks is
/// the least peak. One part if the problem is not regular; fewer than there are past the budget.
[[nodiscard]] std::vector<Part> split(const OrderProblem& problem, OrderBudget* budget = nullptr);

/// The operators that `ops` lists, which are executed when those of `done` have been.
[[nodiscard]] Part part_of(const OrderProblem& problem, const std::vector<int>& done,
                           const std::vector<int>& ops);

}  // namespace thimble
