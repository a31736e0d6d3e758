// SPDX-License-Identifier: Apache-2.0
// Which buffers are live together, and how their addresses then constrain each other: the input of
// every solver of this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "thimble/layout/layout.h"

namespace thimble::layout {

/// Position of a number that stands for a buffer, a pair or a moment.
inline size_t index(int i) { return static_cast<size_t>(i); }

/// Seen from one buffer: delta = address(other) - address(this) is at most `below`, or at least
/// `above`, or 0 if `same`. Without an overlap below = -size(other) and above = size(this).
struct Conflict {
  int other = 0;
  int64_t below = 0, above = 0;
  bool same = false;
  bool operator==(const Conflict&) const = default;
};

/// Time is cut into sections, each a largest set of buffers that are live at one moment (subsets of
/// a neighbouring moment add nothing). Buffers without bytes or without life are in none.
///
///   b0 |-----|          sections {b0, b1} and {b1, b2}; b0 and b2 are no conflict
///   b1   |------|
///   b2         |---|
struct Sweep {
  std::vector<std::vector<int>> sections;     ///< in time order; buffers ascending
  std::vector<std::vector<int>> sections_of;  ///< per buffer, ascending
  std::vector<std::vector<Conflict>>
      conflicts;  ///< per buffer, by `other`; those that forbid something
};

/// Throws InternalError if the problem is malformed, as sweep() does.
void check_problem(const Problem& problem);

/// Calls visit(buffers) for each section, in time order, without keeping any: they may have the
/// square of the number of buffers between them. Throws InternalError as sweep() does.
void for_each_section(const Problem& problem,
                      const std::function<void(const std::vector<int>&)>& visit);

/// Calls visit(buffers, while) for each set of buffers that are live together, in time order: also
/// for those that are subsets of others.
void for_each_live_set(const Problem& problem,
                       const std::function<void(const std::vector<int>&, const Life&)>& visit);

/// How many pairs of buffers are live together (once for each life): the size of Sweep::conflicts.
[[nodiscard]] int64_t live_pairs(const Problem& problem);

/// What `in` and `out` may do if they are live together; seen from `out`, since then delta =
/// address(in) - address(out).
[[nodiscard]] Conflict relation(const Problem& problem, const Overlap& overlap);
[[nodiscard]] inline bool forbids_something(const Conflict& c) { return c.above > c.below + 1; }

/// Throws InternalError if the problem is malformed: negative sizes, alignments that are not powers
/// of two, lives out of order, overlaps out of range.
[[nodiscard]] Sweep sweep(const Problem& problem);

/// Divides every alignment; 1 if there are no buffers.
[[nodiscard]] int64_t least_alignment(const Problem& problem);

/// Per buffer the last one before it that is alike (as large, aligned as it, live in the same
/// sections), or -1. of: those to look at.
[[nodiscard]] std::vector<int> twins(const Problem& problem, const Sweep& sweep,
                                     const std::function<bool(size_t buffer)>& of);

/// The problem's connected parts (no conflict leads from one to another), as sorted lists of
/// buffers. Buffers without conflicts are parts of one.
[[nodiscard]] std::vector<std::vector<int>> parts(const Sweep& sweep);

/// Per part the problem restricted to its buffers, which get the numbers 0, 1, ... in that order.
[[nodiscard]] std::vector<Problem> restricted(const Problem& problem,
                                              const std::vector<std::vector<int>>& parts);

[[nodiscard]] inline int64_t align_up(int64_t value, int64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}
[[nodiscard]] inline int64_t align_down(int64_t value, int64_t alignment) {
  return value & ~(alignment - 1);
}

}  // namespace thimble::layout
