// SPDX-License-Identifier: Apache-2.0
// Layouts made buffer by buffer: the interpreter's, and those that start the exact search.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/layout/layout.h"
#include "thimble/layout/sweep.h"

namespace thimble::layout {

/// Each buffer in turn at the lowest address that those before it leave, permitted overlaps used.
/// Buffers with a fixed address come first, whatever the order says.
[[nodiscard]] std::vector<int64_t> place_in_order(const Problem& problem, const Sweep& sweep,
                                                  const std::vector<int>& order);

/// By size, largest first, permitted overlaps used; without a list of conflicts, for problems that
/// have too many. What is not placed in time is stacked on top of the rest.
[[nodiscard]] Solution greedy(const Problem& problem, const TimeLimit* time = nullptr);

/// Orders worth trying, best habits first: by size, by size x life, by life, by time, by how full
/// the fullest section of the buffer is.
[[nodiscard]] std::vector<std::vector<int>> greedy_orders(const Problem& problem,
                                                          const Sweep& sweep);

/// Largest address + size.
[[nodiscard]] int64_t arena_bytes(const Problem& problem, const std::vector<int64_t>& addresses);

/// The best of place_in_order over the greedy orders, then of up to `rounds` repairs: the buffers
/// that end highest move to the front of the order, which is tried again. Stops at `budget_bytes`,
/// and after one order if it is late.
[[nodiscard]] std::vector<int64_t> best_greedy(const Problem& problem, const Sweep& sweep,
                                               int64_t budget_bytes, int rounds,
                                               const TimeLimit* time = nullptr);

}  // namespace thimble::layout
