// SPDX-License-Identifier: Apache-2.0
#include "thimble/cli/progress_line.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "thimble/cli/terminal.h"

namespace thimble {

ProgressLine::ProgressLine(std::string what) : what_(std::move(what)) {
  if (error_is_terminal()) thread_ = std::thread([this] { run(); });
}

ProgressLine::~ProgressLine() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  done_changed_.notify_all();
  thread_.join();
}

void ProgressLine::show(std::string what) {
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
}

void ProgressLine::run() {
  std::unique_lock lock(mutex_);
  bool shown = false;
  for (int seconds = 1;
       !done_changed_.wait_for(lock, std::chrono::seconds(1), [this] { return done_; });
       ++seconds) {
    // Without fmt::print, which throws where the terminal is gone: nobody would catch that here.
    std::fputs(fmt::format("\r\033[Kthimble: {} ... {} s", what_, seconds).c_str(), stderr);
    std::fflush(stderr);
    shown = true;
  }
  if (shown) std::fputs("\r\033[K", stderr);
}

}  // namespace thimble
