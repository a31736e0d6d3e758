// SPDX-License-Identifier: Apache-2.0
// A reshape as factors: axes taken apart, or joined with their neighbours.
//
//   1x16x8x8 -> 1x2x8x8x8    factors 2 8 8 8, of the axes 1 1 2 3 before and 1 2 3 4 behind
//
// So a tensor that has its axes in another order than the file need not be brought to the file's
// order first.
#pragma once

#include <optional>
#include <vector>

#include "thimble/import/onnx/order.h"
#include "thimble/model/graph.h"

namespace thimble::onnx {

/// Outermost first, as the file has them. Axes of one index have none.
struct Factors {
  std::vector<int64_t> extents;
  std::vector<int> before, behind;  ///< whose axis each belongs to
};
/// Nothing: some axis is not a product of such factors.
[[nodiscard]] std::optional<Factors> factors_of(const Shape& before, const Shape& behind);

/// Their places in a tensor with its axes in an order; `axes`: before or behind.
[[nodiscard]] std::vector<size_t> in_tensor(const std::vector<int>& axes, const Order& order);

/// The axes behind, as the first factor of each comes in a tensor with this order of those before.
[[nodiscard]] Order order_behind(const Factors& factors, const Order& before, size_t rank);

}  // namespace thimble::onnx
