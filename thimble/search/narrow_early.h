// SPDX-License-Identifier: Apache-2.0
// An order in which tensors that only go on as smaller ones are gone at once.
#pragma once

#include "thimble/search/order.h"

namespace thimble {

/// `order`, but where all readers of a tensor begin runs of operators (each reads what the one
/// before it made, and nothing else) whose results are smaller together than the tensor, these runs
/// follow its operator at once. In cells that read the outputs of the last two, each of which is
/// narrowed for both, no output is held until the cell after the next. The peak of whole operators
/// may be larger; groups around them need less.
[[nodiscard]] Order narrow_early(const OrderProblem& problem, const std::vector<int>& order);

}  // namespace thimble
