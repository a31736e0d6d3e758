// SPDX-License-Identifier: Apache-2.0
// Plans of one network of which none is better than another in all respects: SRAM against estimated
// instructions; and which of them limits choose.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace thimble {

/// A plan of the front as compiled: placed, lowered, estimated.
struct FrontFigures {
  int64_t arena_bytes = 0;
  double instructions = 0;      ///< estimated, of an inference
  int64_t recomputed_macs = 0;  ///< beyond the network's own
  int64_t weight_bytes = 0;     ///< of flash: packed constants
  bool operator==(const FrontFigures&) const = default;
};

struct Front {
  /// Fewest bytes first, each with fewer instructions than all before it; never empty.
  std::vector<FrontFigures> points;
  size_t picked = 0;       ///< index of the plan that was taken; numbers for people begin at 1
  bool by_number = false;  ///< because the user named it: --pick
  std::optional<int64_t> sram_limit_bytes;
  double max_latency = std::numeric_limits<double>::infinity();  ///< in force
  std::string core;                                              ///< of the estimates
  std::string unit = "instructions";  ///< or "cycles", by what a board measured
  bool stands_in = false;             ///< for the core that was named, which has no latency model
  int64_t clock_hz = 0;               ///< 0: not known, or not of `core`
  std::set<std::string> left_out;     ///< kernels that the estimates do not count

  /// Instructions of a point as a ratio of the fastest's; 1 if that has none.
  [[nodiscard]] double latency(size_t point) const;
  /// By the limits: the fastest that fits, or else the smallest; without a limit on bytes the
  /// smallest. Points past max_latency are not looked at.
  [[nodiscard]] size_t chosen() const;
  /// What keeps a better plan of the front from being taken, in the words of the command line:
  /// "--pick"; "--sram", faster ones do not fit; "--max-latency", smaller ones are too slow. Empty:
  /// nothing does.
  [[nodiscard]] std::string bound_by() const;
};

/// Points that no other beats, in the order of Front::points: positions in `all`. More bytes have
/// to save a thousandth of the instructions.
[[nodiscard]] std::vector<size_t> undominated(const std::vector<FrontFigures>& all);

}  // namespace thimble
