// SPDX-License-Identifier: Apache-2.0
// One limit of time for all of planning and layout of a model: a safety net. What searches do is
// limited by counting work, so that the same input gives the same plan; past this limit they stop
// with the best answer so far, which may depend on the machine, and reports say so. Whoever waits
// can end them the same way.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

namespace thimble {

class TimeLimit {
 public:
  /// From now on. Not a number is none of these: options refuse it. go_on is asked now and then by
  /// the searches, on the thread that made this; false ends them.
  explicit TimeLimit(double seconds, std::function<bool()> go_on = nullptr)
      : end_(Clock::now() + duration(seconds)), go_on_(std::move(go_on)) {}

  /// Whether it is over; remembers that a search was told so.
  [[nodiscard]] bool passed() const {
    if (struck_) return true;
    const Clock::time_point now = Clock::now();
    bool over = now >= end_;
    if (go_on_ && std::this_thread::get_id() == owner_ && now >= ask_) {
      over = !go_on_() || over;
      ask_ = now + kBetweenQuestions;
    }
    if (over) struck_ = true;
    return over;
  }
  /// Whether any search stopped because of it.
  [[nodiscard]] bool struck() const { return struck_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kBetweenQuestions{20};
  static Clock::duration duration(double seconds) {
    // A year is as good as for ever, and does not overflow.
    const std::chrono::duration<double> capped(std::min(seconds, 3.2e7));
    return std::chrono::duration_cast<Clock::duration>(capped);
  }

  Clock::time_point end_;
  std::function<bool()> go_on_;
  std::thread::id owner_ = std::this_thread::get_id();
  mutable Clock::time_point ask_;  ///< not before this; the owner's
  mutable std::atomic<bool> struck_ = false;
};

/// Without a limit (null) nothing is ever late.
[[nodiscard]] inline bool late(const TimeLimit* limit) {
  return limit != nullptr && limit->passed();
}

}  // namespace thimble
