// SPDX-License-Identifier: Apache-2.0
// The work of an operator as whoever follows it element by element has it: pools do some, which
// have no multiply-accumulates.
#pragma once

#include "thimble/model/graph.h"

namespace thimble {

/// Elements of the operands that the elements of the outputs need, each on its own: a max pool of
/// 3x3 over 10x10x8 pixels reads 7,200. At the ends of an axis windows count whole.
[[nodiscard]] double element_reads(const Graph& graph, const Op& op);

}  // namespace thimble
