// SPDX-License-Identifier: Apache-2.0
// The least time within a limit on bytes, against all choices.
#include "thimble/search/least_time.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "zoo/random.h"

namespace thimble {
namespace {

using Choices = std::vector<std::vector<TimedBytes>>;

TimedBytes sum_of(const Choices& choices, const std::vector<size_t>& taken) {
  TimedBytes sum;
  for (size_t k = 0; k < choices.size(); ++k) {
    sum.bytes += choices[k][taken[k]].bytes;
    sum.time += choices[k][taken[k]].time;
  }
  return sum;
}

/// The least time within the limit, and the fewest bytes of any choice.
struct Best {
  std::optional<double> time;
  int64_t least_bytes = std::numeric_limits<int64_t>::max();
};
Best best_of(const Choices& choices, int64_t limit) {
  Best best;
  std::vector<size_t> taken(choices.size(), 0);
  while (true) {
    const TimedBytes sum = sum_of(choices, taken);
    best.least_bytes = std::min(best.least_bytes, sum.bytes);
    if (sum.bytes <= limit) best.time = std::min(best.time.value_or(sum.time), sum.time);
    size_t k = 0;
    while (k < choices.size() && ++taken[k] == choices[k].size()) taken[k++] = 0;
    if (k == choices.size()) return best;
  }
}

TEST(LeastTime, IsThatOfAllChoices) {
  int met = 0, missed = 0;
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    zoo::Random random(seed);
    Choices choices(static_cast<size_t>(random.between(1, 6)));
    for (std::vector<TimedBytes>& some : choices) {
      for (int64_t n = random.between(1, 4); n > 0; --n)
        some.push_back({random.between(0, 20), static_cast<double>(random.between(1, 30))});
    }
    const int64_t limit = random.between(0, 60);
    const TimedBytes found = sum_of(choices, least_time_within(choices, limit));
    const Best best = best_of(choices, limit);
    if (best.time) {
      EXPECT_LE(found.bytes, limit) << seed;
      EXPECT_EQ(found.time, *best.time) << seed;
      ++met;
    } else {
      EXPECT_EQ(found.bytes, best.least_bytes) << seed;
      ++missed;
    }
  }
  EXPECT_GT(met, 100);
  EXPECT_GT(missed, 20);
}

TEST(LeastTime, OfNothingIsNothing) { EXPECT_TRUE(least_time_within({}, 0).empty()); }

}  // namespace
}  // namespace thimble
