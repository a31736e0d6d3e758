// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/onnx/order.h"

#include <algorithm>
#include <numeric>

namespace thimble::onnx {

Order same_order(size_t rank) {
  Order order(rank);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Order channels_last(size_t rank) {
  Order order = same_order(rank);
  if (rank > 2) std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  return order;
}

}  // namespace thimble::onnx
