// SPDX-License-Identifier: Apache-2.0
// Static allocation: buffers with live intervals -> addresses, with the least arena.
//
//   offset
//     12 |      +-b4----+            b1 [0,3) 4   b2 [3,9) 4   b3 [0,9) 4   b4 [9,21) 4   b5 [0,21)
//     4
//      8 +-b3---+-------+            (../shared/bench/layout/example.12.csv)
//      4 +-b1-b2+---b4--+
//      0 +------b5------+
//        0   3  9      21  time
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "thimble/model/time_limit.h"

namespace thimble::layout {

/// Half-open, in steps.
struct Life {
  int64_t begin = 0, end = 0;
  bool operator==(const Life&) const = default;
};

struct Buffer {
  int64_t size_bytes = 0;
  int64_t alignment = 1;  ///< a power of two
  std::vector<Life>
      lives;  ///< ascending, disjoint; between them the buffer is spilled, same address after
  std::optional<int64_t> address;  ///< fixed by the caller
  bool operator==(const Buffer&) const = default;
};

/// Two buffers that are live together and may share bytes all the same: they are disjoint, or
/// address(out) + lead_bytes <= address(in) (if lead_bytes is set), or address(out) == address(in)
/// (if same_address). lead is the most that bytes written to `out` run ahead of bytes of `in` no
/// longer needed; it may be negative. 0 for elementwise operators on equal types.
struct Overlap {
  int out = 0, in = 0;  ///< indices of buffers
  std::optional<int64_t> lead_bytes;
  bool same_address = false;
  bool operator==(const Overlap&) const = default;
};

struct Problem {
  std::vector<Buffer> buffers;
  std::vector<Overlap> overlaps;  ///< at most one per pair
  bool operator==(const Problem&) const = default;
};

struct Solution {
  std::vector<int64_t> addresses;  ///< one per buffer
  int64_t arena_bytes = 0;         ///< largest address + size
  int64_t lower_bound_bytes = 0;   ///< no layout is smaller
  bool proven_optimal = false;     ///< arena_bytes equals the bound, or the search was complete
  int64_t nodes = 0;               ///< search effort
  bool operator==(const Solution&) const = default;
};

/// Largest, over time, of the bytes that the buffers live then need at the least, alignment and
/// permitted overlaps applied.
[[nodiscard]] int64_t lower_bound_bytes(const Problem& problem);

/// The bound per moment 0, 1, ... below `moments`, as if every buffer could lie anywhere.
[[nodiscard]] std::vector<int64_t> live_bounds(const Problem& problem, int64_t moments);

/// What TensorFlow Lite Micro does: by size, largest first, each at the lowest gap it fits.
[[nodiscard]] Solution greedy_by_size(const Problem& problem);

/// Searches count their work in buffers and conflicts that they look at: this takes some ten
/// seconds.
constexpr int64_t kSearchWork = 500'000'000;

struct SearchLimits {
  int64_t work = kSearchWork;
  std::optional<int64_t> good_enough_bytes;  ///< stop at the first layout within this capacity
  const TimeLimit* time = nullptr;           ///< the safety net
};

/// Branch and bound; the best so far (never worse than greedy_by_size) when work or time run out.
/// Problems with more than some million pairs of buffers that are live together are laid out
/// greedily.
[[nodiscard]] Solution exact(const Problem& problem, const SearchLimits& limits);

/// Empty if the addresses are a layout of the problem, else the first fault: "buffers 3 and 5
/// overlap at step 7". Independent of the solvers.
[[nodiscard]] std::string validate(const Problem& problem, const std::vector<int64_t>& addresses);

}  // namespace thimble::layout
