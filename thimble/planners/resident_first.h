// SPDX-License-Identifier: Apache-2.0
// An order for spans: what an operator needs whole is made first, what it can follow row by row
// last, next to it. The keys and the values of an attention layer then stand before all that its
// queries go through:
//
//   q k v scores softmax * out    ->    v k q scores softmax * out
//                                           \____ one span ____/
#pragma once

#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

/// Depth first from the outputs; operands in the order of how many axes of the output they follow
/// (channels aside), those that follow as many in the order given. The order of the file if all
/// operands of each operator follow as many.
[[nodiscard]] std::vector<int> resident_first_order(const Graph& graph);

}  // namespace thimble
