// SPDX-License-Identifier: Apache-2.0
// An order for fused groups: what an operator needs whole is made first, what it can follow row by
// row last, next to it. The keys and the values of an attention layer then stand before all that
// its queries go through:
//
//   q k v scores softmax * out    ->    v k q scores softmax * out
//                                           \____ one group ____/
#pragma once

#include <vector>

#include "thimble/analysis/axis_graph.h"
#include "thimble/plan/instances.h"

namespace thimble {

/// Instances depth first from the outputs; operands in the order of how many axes of the output
/// they follow (channels aside), those that follow as many in the order given. Copies that stand
/// before everything else or behind it stay there. The order as it is if all operands of each
/// instance follow as many.
[[nodiscard]] std::vector<int> resident_first_order(const AxisGraph& axes,
                                                    const Instances& instances);

}  // namespace thimble
