// SPDX-License-Identifier: Apache-2.0
#include "training/data/sound_samples.h"

#include <algorithm>
#include <cmath>

#include "thimble/driver/sound_features.h"
#include "thimble/inputs/resample.h"
#include "zoo/random.h"

namespace thimble::training {
namespace {

constexpr int32_t kSecond = kFeatureRate;
constexpr int64_t kFrames = 49;
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

}  // namespace

float sound_scale(int64_t coefficients) {
  return coefficients == kFeatureBands ? kFeatureScale : kCepstralScale;
}

std::vector<int16_t> sound_steps(const Sound& sound, int64_t coefficients, size_t variants,
                                 uint64_t seed) {
  const Sound at_rate = resampled(sound, kSecond);
  zoo::Random random(seed);
  std::vector<int16_t> steps;
  for (size_t v = 0; v < variants; ++v) {
    const Sound one = v == 0 ? one_second(at_rate, 0) : changed(at_rate, random);
    const std::vector<int8_t> features = micro_features(one, kFrames);
    if (coefficients == kFeatureBands) {
      for (const int8_t feature : features) steps.push_back(static_cast<int16_t>(feature + 128));
      continue;
    }
    for (const float value : cepstra(features, coefficients))
      steps.push_back(static_cast<int16_t>(std::lround(value / kCepstralScale)));
  }
  return steps;
}

}  // namespace thimble::training
