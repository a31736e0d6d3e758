// SPDX-License-Identifier: Apache-2.0
#include "thimble/quantise/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace thimble {
namespace {

std::map<double, int64_t> counts_of(const Histogram& histogram) {
  std::map<double, int64_t> counts;
  histogram.visit([&](double centre, int64_t count) { counts[centre] = count; });
  return counts;
}

/// Numbers of several magnitudes, both signs and 0.
std::vector<std::vector<float>> batches() {
  std::vector<std::vector<float>> all;
  for (int b = 0; b < 7; ++b) {
    std::vector<float> values = {0};
    for (int k = 0; k < 500; ++k)
      values.push_back(std::ldexp(std::sin(static_cast<float>(k * k + b)), 3 * b - 9));
    all.push_back(values);
  }
  return all;
}

TEST(Histograms, AreTheSameInWhateverOrderValuesCome) {
  std::vector<std::vector<float>> all = batches();
  Histogram once, upwards, downwards, in_parts;
  std::vector<float> together;
  for (const auto& batch : all) {
    upwards.add(batch);
    together.insert(together.end(), batch.begin(), batch.end());
    Histogram part;
    part.add(batch);
    in_parts.include(part);
  }
  once.add(together);
  std::ranges::reverse(all);
  for (const auto& batch : all) downwards.add(batch);
  EXPECT_EQ(counts_of(upwards), counts_of(once));
  EXPECT_EQ(counts_of(downwards), counts_of(once));
  EXPECT_EQ(counts_of(in_parts), counts_of(once));
  EXPECT_LE(counts_of(once).size(), 2048U);
  int64_t sum = 0;
  for (const auto& [centre, count] : counts_of(once)) sum += count;
  EXPECT_EQ(sum, std::ssize(together));
}

TEST(Histograms, HoldTheLargestAndTheSmallestNumbers) {
  Histogram histogram;
  histogram.add({3e38F, -3e38F, 1e-42F, 0});
  Histogram small;
  small.add({1e-42F, 2e-42F});
  histogram.include(small);
  int64_t sum = 0;
  histogram.visit([&](double, int64_t count) { sum += count; });
  EXPECT_EQ(sum, 6);
}

TEST(Histograms, SayWhichRangeCostsLeast) {
  std::vector<float> values;
  for (int k = -1000; k <= 1000; ++k)
    for (int n = 0; n < 400; ++n) values.push_back(static_cast<float>(k) / 1000);
  Histogram even;
  even.add(values);
  // Nothing lies far out: all of it is worth its steps.
  const Range all = {-1, 1};
  EXPECT_NEAR(least_error_range(even, all).max, 1, 0.026);
  EXPECT_NEAR(least_error_range(even, all).min, -1, 0.026);

  // One number far out costs all others half of their steps.
  values.push_back(2);
  Histogram outlier;
  outlier.add(values);
  const Range clipped = least_error_range(outlier, {-1, 2});
  EXPECT_LT(clipped.max, 1.3F);
  EXPECT_NEAR(clipped.min, -1, 0.026);
  const Range percentile = percentile_range(outlier, {-1, 2}, 1e-4);
  EXPECT_NEAR(percentile.max, 1, 0.01);
  EXPECT_NEAR(percentile.min, -1, 0.01);
  EXPECT_NEAR(percentile_range(outlier, {-1, 2}, 0).min, -1, 0.01);
  EXPECT_NEAR(percentile_range(outlier, {-1, 2}, 0).max, 2, 0.01);
  EXPECT_EQ(least_error_range({}, all), all);
}

}  // namespace
}  // namespace thimble
