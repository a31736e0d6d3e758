// SPDX-License-Identifier: Apache-2.0
#include "training/data/sound_samples.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "thimble/driver/sound_features.h"
#include "thimble/inputs/resample.h"
#include "zoo/random.h"

namespace thimble::training {
namespace {

constexpr int32_t kSecond = 16'000;
constexpr int64_t kFrames = 49, kBands = 40;
constexpr float kCepstralScale = 1.0F / 64;  ///< of coefficients, which are below 200
constexpr double kSpeed = 0.2;               ///< more or less

Sound one_second(Sound sound, int64_t delay) {
  std::vector<int16_t> samples(kSecond, 0);
  for (int64_t k = 0; k < kSecond; ++k) {
    const int64_t from = k - delay;
    if (from >= 0 && from < static_cast<int64_t>(sound.samples.size()))
      samples[static_cast<size_t>(k)] = sound.samples[static_cast<size_t>(from)];
  }
  return {kSecond, 1, std::move(samples)};
}

Sound changed(const Sound& sound, zoo::Random& random) {
  Sound result = one_second(sped_up(sound, 1 + kSpeed * (2 * random.unit() - 1)),
                            random.between(-kSecond / 10, kSecond / 10));
  double power = 0;
  for (const int16_t s : result.samples) power += double{1} * s * s;
  const double gain = std::pow(10, (random.unit() * 16 - 10) / 20);
  const double noise = std::sqrt(power / kSecond) * std::pow(10, -(5 + 25 * random.unit()) / 20);
  for (int16_t& s : result.samples) {
    const double white = (random.unit() + random.unit() + random.unit() - 1.5) * 2 * noise;
    s = static_cast<int16_t>(std::clamp<double>(std::round((s + white) * gain), -32768, 32767));
  }
  return result;
}

/// Orthonormal DCT-II: a row for each coefficient.
const std::vector<double>& cosines() {
  static const std::vector<double> table = [] {
    std::vector<double> values;
    for (int64_t number = 0; number < kBands; ++number) {
      const double norm = std::sqrt((number == 0 ? 1.0 : 2.0) / kBands);
      for (int64_t b = 0; b < kBands; ++b) {
        values.push_back(norm * std::cos(std::numbers::pi * (static_cast<double>(b) + 0.5) *
                                         static_cast<double>(number) / kBands));
      }
    }
    return values;
  }();
  return table;
}

float coefficient(const int8_t* frame, int64_t number) {
  const double* row = cosines().data() + number * kBands;
  double sum = 0;
  for (int64_t b = 0; b < kBands; ++b) sum += (frame[b] + 128) * row[b];
  return static_cast<float>(sum) * kFeatureScale;
}

}  // namespace

float sound_scale(int64_t coefficients) {
  return coefficients == kBands ? kFeatureScale : kCepstralScale;
}

std::vector<int16_t> sound_steps(const Sound& sound, int64_t coefficients, size_t variants,
                                 uint64_t seed) {
  const Sound at_rate = resampled(sound, kSecond);
  zoo::Random random(seed);
  std::vector<int16_t> steps;
  for (size_t v = 0; v < variants; ++v) {
    const Sound one = v == 0 ? one_second(at_rate, 0) : changed(at_rate, random);
    const std::vector<int8_t> features = micro_features(one, kFrames);
    for (int64_t f = 0; f < kFrames; ++f) {
      const int8_t* frame = features.data() + f * kBands;
      for (int64_t k = 0; k < coefficients; ++k) {
        steps.push_back(coefficients == kBands ? static_cast<int16_t>(frame[k] + 128)
                                               : static_cast<int16_t>(std::lround(
                                                     coefficient(frame, k) / kCepstralScale)));
      }
    }
  }
  return steps;
}

}  // namespace thimble::training
