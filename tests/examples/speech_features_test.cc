// SPDX-License-Identifier: Apache-2.0
#include "examples/speech_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace thimble {
namespace {

constexpr double kRate = speech_rate;

using Frame = std::array<int16_t, speech_frame_samples>;
using Features = std::array<int8_t, speech_bands>;

Frame tone(double hz, double amplitude, int frame = 0) {
  Frame samples{};
  for (size_t k = 0; k < samples.size(); ++k) {
    const double at = static_cast<double>(k) + frame * speech_hop_samples;
    samples[k] = static_cast<int16_t>(amplitude * std::sin(2 * std::numbers::pi * hz * at / kRate));
  }
  return samples;
}

Features first_of(const Frame& samples) {
  speech_features front_end{};
  speech_features_begin(&front_end);
  Features features{};
  speech_features_next(&front_end, samples.data(), features.data());
  return features;
}

class SpeechFeatures : public ::testing::Test {
 protected:
  SpeechFeatures() { speech_features_begin(&front_end_); }
  Features of(const Frame& samples) {
    Features features{};
    speech_features_next(&front_end_, samples.data(), features.data());
    return features;
  }

 private:
  speech_features front_end_{};
};

TEST_F(SpeechFeatures, OfSilenceAreTheLeast) {
  for (int frame = 0; frame < 3; ++frame) EXPECT_THAT(of(Frame{}), ::testing::Each(-128));
}

// Band k is a triangle around the (k + 1)th of 42 points that are as far apart on the mel scale;
// low ones are narrower than what the window tells apart. So soft that PCAN has nothing to even
// out.
TEST(SpeechBands, OfTonesAreLoudestWhereTheyAre) {
  const auto mel = [](double hz) { return 1127 * std::log(1 + hz / 700); };
  for (int band = 0; band < speech_bands; ++band) {
    const double at = mel(125) + (mel(7500) - mel(125)) * (band + 1) / (speech_bands + 1);
    const Features features = first_of(tone(700 * (std::exp(at / 1127) - 1), 16));
    EXPECT_NEAR(std::ranges::max_element(features) - features.begin(), band, 1);
  }
}

TEST(SpeechBands, LeaveOutWhatIsLowerAndHigher) {
  const auto loudest = [](double hz) {
    const Features features = first_of(tone(hz, 16));
    return int{*std::ranges::max_element(features)};
  };
  EXPECT_LT(loudest(40) + 60, loudest(1000));
  EXPECT_LT(loudest(7900) + 60, loudest(7000));
}

TEST_F(SpeechFeatures, ForgetWhatGoesOnAndOn) {
  const auto loudest = [](const Features& f) { return int{*std::ranges::max_element(f)}; };
  const int first = loudest(of(tone(1000, 4000)));
  int last = first;
  for (int frame = 1; frame < 100; ++frame) {
    const int next = loudest(of(tone(1000, 4000, frame)));
    EXPECT_LE(next, last + 1);
    last = next;
  }
  EXPECT_LT(last + 80, first);
}

// A loudness four times as high is little more after PCAN, once the noise is known.
TEST_F(SpeechFeatures, AreEvenedOut) {
  for (int frame = 0; frame < 200; ++frame) of(tone(1000, 1000, frame));
  const auto sum = [](const Features& f) { return int{*std::ranges::max_element(f)}; };
  const int quiet = sum(of(tone(1000, 1000)));
  for (int frame = 0; frame < 200; ++frame) of(tone(1000, 4000, frame));
  EXPECT_NEAR(sum(of(tone(1000, 4000))), quiet, 12);
}

}  // namespace
}  // namespace thimble
