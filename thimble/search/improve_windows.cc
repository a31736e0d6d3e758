// SPDX-License-Identifier: Apache-2.0
// An exact search in each window, small enough to end.
#include "thimble/search/improve_windows.h"

#include <algorithm>

#include "thimble/search/order.h"
#include "thimble/search/split.h"

namespace thimble {
namespace {

struct Stretch {
  std::ptrdiff_t first, end;  ///< positions in an order
};

/// A stretch of `length`, or less, with `position` in the middle, as far as the order goes.
Stretch around(std::ptrdiff_t position, std::ptrdiff_t length, std::ptrdiff_t count) {
  const std::ptrdiff_t first = std::clamp<std::ptrdiff_t>(
      position - length / 2, 0, std::max<std::ptrdiff_t>(count - length, 0));
  return {first, std::min(first + length, count)};
}

std::ptrdiff_t peak_position(const OrderProblem& problem, const FoundOrder& order) {
  const std::vector<int64_t> bytes = working_sets(problem, order.ops);
  return std::max_element(bytes.begin(), bytes.end()) - bytes.begin();
}

}  // namespace

int64_t improve_windows(const OrderProblem& problem, FoundOrder& order,
                        const WindowLimits& limits) {
  const std::ptrdiff_t count = std::ssize(order.ops);
  int64_t states = 0;
  for (std::ptrdiff_t length = 16;
       states < limits.states && length < 2 * count && !spent(limits.budget);) {
    const Stretch window = around(peak_position(problem, order), length, count);
    const auto first = order.ops.begin() + window.first, end = order.ops.begin() + window.end;
    charge(limits.budget, problem.size_bytes.size());
    const Part part = part_of(problem, {order.ops.begin(), first}, {first, end});
    const SearchResult result = search_from_both_ends(part.problem, {.at_least = limits.at_least,
                                                                     .below = order.peak_bytes,
                                                                     .states = limits.states / 16,
                                                                     .budget = limits.budget});
    states += result.states;
    if (!result.found) {
      length *= 2;
      continue;
    }
    std::transform(result.found->ops.begin(), result.found->ops.end(), first,
                   [&](int op) { return part.ops[index(op)]; });
    const std::vector<int64_t> bytes = working_sets(problem, order.ops);
    order.peak_bytes = *std::max_element(bytes.begin(), bytes.end());
    if (order.peak_bytes <= limits.at_least) break;
  }
  return states;
}

}  // namespace thimble
