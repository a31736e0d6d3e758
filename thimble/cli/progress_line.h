// SPDX-License-Identifier: Apache-2.0
// One line on a terminal while something takes longer than a second; nothing elsewhere.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace thimble {

/// Shows "thimble: WHAT ... 3 s" on standard error until it is destroyed, then wipes it.
class ProgressLine {
 public:
  explicit ProgressLine(std::string what);
  ~ProgressLine();
  /// Another text from now on; from any thread.
  void show(std::string what);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  void run();

  std::string what_;
  std::mutex mutex_;
  std::condition_variable done_changed_;
  bool done_ = false;
  std::thread thread_;  ///< not started where standard error is no terminal
};

}  // namespace thimble
