// SPDX-License-Identifier: Apache-2.0
#include "thimble/inputs/resample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace thimble {
namespace {

double sine(double hertz, double seconds) {
  return 10'000 * std::sin(2 * std::numbers::pi * hertz * seconds);
}

Sound tone(double hertz, int32_t rate) {
  Sound sound{rate, 1, {}};
  for (int32_t k = 0; k < rate; ++k)
    sound.samples.push_back(static_cast<int16_t>(std::lround(sine(hertz, double{1} * k / rate))));
  return sound;
}

/// Far from both ends, where there is nothing beyond them.
void expect_sine(const Sound& sound, double hertz) {
  for (size_t k = 1000; k + 1000 < sound.samples.size(); ++k) {
    ASSERT_NEAR(sound.samples[k], sine(hertz, static_cast<double>(k) / sound.rate), 25) << k;
  }
}

TEST(Resampled, TonesKeepTheirPitch) {
  for (const int32_t rate : {8000, 11'025, 22'050, 44'100, 48'000}) {
    const Sound at = resampled(tone(1000, rate), 16'000);
    EXPECT_EQ(at.rate, 16'000);
    EXPECT_NEAR(static_cast<double>(at.samples.size()), 16'000, 1);
    expect_sine(at, 1000);
  }
}

TEST(Resampled, WhatTheLowerRateCannotHaveIsLeftOut) {
  const Sound at = resampled(tone(7000, 16'000), 8000);
  for (size_t k = 100; k + 100 < at.samples.size(); ++k) ASSERT_NEAR(at.samples[k], 0, 25) << k;
}

TEST(Resampled, TheSameRateIsTheSameSound) {
  const Sound sound = tone(440, 16'000);
  EXPECT_EQ(resampled(sound, 16'000).samples, sound.samples);
}

TEST(SpedUp, SoundIsShorterAndHigher) {
  const Sound fast = sped_up(tone(1000, 16'000), 1.25);
  EXPECT_EQ(fast.samples.size(), 12'800U);
  EXPECT_EQ(fast.rate, 16'000);
  expect_sine(fast, 1250);
}

}  // namespace
}  // namespace thimble
