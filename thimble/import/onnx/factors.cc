// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/onnx/factors.h"

#include <algorithm>

namespace thimble::onnx {

std::optional<Factors> factors_of(const Shape& before, const Shape& behind) {
  if (elements(before) != elements(behind) || elements(before) < 1) return std::nullopt;
  Factors result;
  size_t a = before.size(), b = behind.size();  // from the innermost axes on
  int64_t left_a = 1, left_b = 1;
  for (;;) {
    while (left_a == 1 && a > 0) left_a = before[--a];
    while (left_b == 1 && b > 0) left_b = behind[--b];
    if (left_a == 1 && left_b == 1) break;
    const int64_t factor = std::min(left_a, left_b);
    if (factor == 1 || left_a % factor != 0 || left_b % factor != 0) return std::nullopt;
    result.extents.push_back(factor);
    result.before.push_back(static_cast<int>(a));
    result.behind.push_back(static_cast<int>(b));
    left_a /= factor;
    left_b /= factor;
  }
  std::ranges::reverse(result.extents);
  std::ranges::reverse(result.before);
  std::ranges::reverse(result.behind);
  return result;
}

std::vector<size_t> in_tensor(const std::vector<int>& axes, const Order& order) {
  std::vector<size_t> places;
  for (const int axis : order)
    for (size_t k = 0; k < axes.size(); ++k)
      if (axes[k] == axis) places.push_back(k);
  return places;
}

Order order_behind(const Factors& factors, const Order& before, size_t rank) {
  Order result;
  std::vector<bool> taken(rank, false);
  const auto take = [&](int axis) {
    result.push_back(axis);
    taken[static_cast<size_t>(axis)] = true;
  };
  const std::vector<size_t> places = in_tensor(factors.before, before);
  for (size_t k = 0; k < places.size(); ++k) {
    const int axis = factors.behind[places[k]];
    if (taken[static_cast<size_t>(axis)]) continue;
    // Axes of one index come with the next one of the file.
    for (int one = 0; one < axis; ++one) {
      const bool has_factors = std::ranges::find(factors.behind, one) != factors.behind.end();
      if (!has_factors && !taken[static_cast<size_t>(one)]) take(one);
    }
    take(axis);
  }
  for (size_t axis = 0; axis < rank; ++axis)
    if (!taken[axis]) take(static_cast<int>(axis));
  return result;
}

}  // namespace thimble::onnx
