// SPDX-License-Identifier: Apache-2.0
#include "thimble/search/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace thimble {

int all_cores() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

void in_parallel(size_t count, int jobs, const std::function<void(size_t k, size_t worker)>& work) {
  const size_t workers = std::min(count, static_cast<size_t>(std::max(jobs, 1)));
  if (workers < 2) {
    for (size_t k = 0; k < count; ++k) work(k, 0);
    return;
  }
  std::atomic<size_t> next = 0;
  std::vector<std::exception_ptr> thrown(count);
  const auto run = [&](size_t worker) {
    for (size_t k = next++; k < count; k = next++) {
      try {
        work(k, worker);
      } catch (...) {
        thrown[k] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (size_t worker = 1; worker < workers; ++worker) others.emplace_back(run, worker);
    run(0);  // on the caller's thread, which alone may be asked whether to go on
  }
  for (const std::exception_ptr& one : thrown) {
    if (one) std::rethrow_exception(one);
  }
}

}  // namespace thimble
