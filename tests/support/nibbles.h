// SPDX-License-Identifier: Apache-2.0
// Networks whose weights fit 4 bits.
#pragma once

#include "thimble/model/graph.h"

namespace thimble::testing {

/// The network with weights of convolutions and fully connected layers (int8, constant) divided by
/// sixteen, their scales times as much. They are -7 to 7, but those of every third operator -8 too.
[[nodiscard]] Graph in_nibbles(Graph graph);

}  // namespace thimble::testing
