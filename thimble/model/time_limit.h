// SPDX-License-Identifier: Apache-2.0
// One limit of time for all of planning and layout of a model: a safety net. What searches do is
// limited by counting work, so that the same input gives the same plan; past this limit they stop
// with the best answer so far, which may depend on the machine, and reports say so.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>

namespace thimble {

class TimeLimit {
 public:
  /// From now on. Not a number is none of these: options refuse it.
  explicit TimeLimit(double seconds) : end_(Clock::now() + duration(seconds)) {}

  /// Whether it is over; remembers that a search was told so.
  [[nodiscard]] bool passed() const {
    if (!struck_ && Clock::now() >= end_) struck_ = true;
    return struck_;
  }
  /// Whether any search stopped because of it.
  [[nodiscard]] bool struck() const { return struck_; }

 private:
  using Clock = std::chrono::steady_clock;
  static Clock::duration duration(double seconds) {
    // A year is as good as for ever, and does not overflow.
    const std::chrono::duration<double> capped(std::min(seconds, 3.2e7));
    return std::chrono::duration_cast<Clock::duration>(capped);
  }

  Clock::time_point end_;
  mutable std::atomic<bool> struck_ = false;
};

/// Without a limit (null) nothing is ever late.
[[nodiscard]] inline bool late(const TimeLimit* limit) {
  return limit != nullptr && limit->passed();
}

}  // namespace thimble
