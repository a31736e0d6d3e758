// SPDX-License-Identifier: Apache-2.0
// Gates of recurrent layers in float32. Private to thimble/reference.
#pragma once

#include <iterator>

#include "thimble/reference/real_products.h"

namespace thimble::reference {

/// One row of values, fully connected to all units of all gates: [gate][unit]. Each sum is a
/// number, the largest one beyond all.
inline RealValues gate_layer(const RealValues& x, const RealValues& weights,
                             const RealValues* bias) {
  const int64_t depth = std::ssize(x), rows = std::ssize(weights) / depth;
  RealValues sums = real_fully_connected({{1, depth}, x, {rows, depth}, weights, bias, {1, rows}});
  apply(Activation::kNone, sums);
  return sums;
}

}  // namespace thimble::reference
