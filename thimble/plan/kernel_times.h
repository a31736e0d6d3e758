// SPDX-License-Identifier: Apache-2.0
// How long a call takes: by which kernel of the core, with how much scratch.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/target/kernels/kernel.h"

namespace thimble {

struct KernelTime {
  KernelId kernel;  ///< invalid: the portable one for weights as the model has them
  int64_t scratch_bytes = 0;
  double instructions = 0;  ///< estimated, of all tiles

  [[nodiscard]] int64_t bytes() const { return scratch_bytes; }
};
/// Times of one call: of the portable kernel first, which none of the others is clearly slower
/// than; then those by bytes, each faster than the one before.
using KernelTimes = std::vector<KernelTime>;

/// What a piece of an order takes where as much memory is live while it runs.
struct PieceTime {
  int64_t live_bytes = 0;
  double instructions = 0;

  [[nodiscard]] int64_t bytes() const { return live_bytes; }
};
/// Fewest bytes first, each faster than all before it.
using PieceTimes = std::vector<PieceTime>;

/// The fastest within so many bytes; if none is, the one with the fewest.
template <class Time>
[[nodiscard]] const Time& fastest_within(const std::vector<Time>& times, int64_t bytes) {
  size_t best = 0;
  while (best + 1 < times.size() && times[best + 1].bytes() <= bytes) ++best;
  return times[best];
}

/// Times of calls one after the other; live_bytes: per call, without its scratch.
[[nodiscard]] PieceTimes piece_times(const std::vector<const KernelTimes*>& calls,
                                     const std::vector<int64_t>& live_bytes);
/// Times of pieces one after the other.
[[nodiscard]] PieceTimes piece_times(const std::vector<const PieceTimes*>& pieces);

/// Instructions of calls, each with so much scratch at the most.
[[nodiscard]] double instructions_within(const std::vector<const KernelTimes*>& calls,
                                         int64_t scratch_bytes);

}  // namespace thimble
