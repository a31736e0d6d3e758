// SPDX-License-Identifier: Apache-2.0
#include "thimble/search/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace thimble {
namespace {

TEST(InParallel, DoesEachOnceAndNoWorkerTwoThingsAtATime) {
  for (const int jobs : {0, 1, 2, 5, 16}) {
    std::vector<std::atomic<int>> done(100);
    std::vector<std::atomic<int>> busy(16);
    std::atomic<bool> shared = false;
    in_parallel(done.size(), jobs, [&](size_t k, size_t worker) {
      ASSERT_LT(worker, static_cast<size_t>(std::max(jobs, 1)));
      if (busy[worker]++ > 0) shared = true;
      ++done[k];
      --busy[worker];
    });
    for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1) << jobs;
    EXPECT_FALSE(shared) << jobs;
  }
}

TEST(InParallel, ThrowsWhatTheFirstThrew) {
  for (const int jobs : {1, 4}) {
    try {
      in_parallel(20, jobs, [](size_t k, size_t) {
        if (k % 7 == 3) throw std::runtime_error(std::to_string(k));
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "3");
    }
  }
}

}  // namespace
}  // namespace thimble
