// SPDX-License-Identifier: Apache-2.0
#include "zoo/audio_tables.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace thimble::zoo {
namespace {

/// In float32 from end to end, as the original.
float mel(double hz) { return 1127.0F * std::log1p(static_cast<float>(hz) / 700.0F); }

int16_t pcan_gain(uint32_t noise) {
  const float gain =
      static_cast<float>(1U << 21) * std::pow(static_cast<float>(noise) / 128.0F + 80.0F, -0.95F);
  return gain > 32767.0F ? int16_t{32767} : static_cast<int16_t>(std::floor(gain + 0.5F));
}

}  // namespace

std::vector<int16_t> hann_window(int64_t samples, int bits) {
  std::vector<int16_t> weights;
  for (int64_t k = 0; k < samples; ++k) {
    const double phase = 2 * std::numbers::pi / static_cast<double>(samples);
    const double weight = 0.5 - 0.5 * std::cos(phase * (static_cast<double>(k) + 0.5));
    weights.push_back(static_cast<int16_t>(std::nearbyint(std::ldexp(weight, bits))));
  }
  return weights;
}

MelBank mel_bank(const MelScale& scale) {
  const float low = mel(scale.low_hz);
  const float spacing = (mel(scale.high_hz) - low) / static_cast<float>(scale.channels + 1);
  const double hz = scale.rate_hz / 2 / static_cast<double>(scale.energies - 1);
  MelBank bank;
  bank.begin = std::lround(1 + scale.low_hz / hz);
  int64_t energy = bank.begin;
  float before = low;
  for (int64_t channel = 1; channel <= scale.channels + 1; ++channel) {
    const float centre = low + spacing * static_cast<float>(channel);
    const int64_t first = energy / scale.alignment * scale.alignment;
    MelBank::Band band{first, static_cast<int64_t>(bank.weights.size()), 0};
    std::vector<int16_t> weights(static_cast<size_t>(energy - first), 0), unweights = weights;
    for (; mel(static_cast<double>(energy) * hz) <= centre; ++energy) {
      const float weight = (centre - mel(static_cast<double>(energy) * hz)) / (centre - before);
      weights.push_back(static_cast<int16_t>(weight * 4096));
      unweights.push_back(static_cast<int16_t>((1 - weight) * 4096));
    }
    while (weights.size() % static_cast<size_t>(scale.block) != 0) {
      weights.push_back(0);
      unweights.push_back(0);
    }
    band.count = static_cast<int64_t>(weights.size());
    bank.weights.insert(bank.weights.end(), weights.begin(), weights.end());
    bank.unweights.insert(bank.unweights.end(), unweights.begin(), unweights.end());
    bank.bands.push_back(band);
    before = centre;
  }
  bank.end = energy;
  return bank;
}

std::vector<int16_t> pcan_gains() {
  std::vector<int16_t> gains{pcan_gain(0), pcan_gain(1)};
  for (int width = 2; width <= 32; ++width) {
    const uint32_t begin = 1U << (width - 1);
    const uint32_t end = width == 32 ? 0xFFFFFFFFU : 2 * begin;
    const int at_begin = pcan_gain(begin), half = pcan_gain(begin + begin / 2) - at_begin,
              whole = pcan_gain(end) - at_begin;
    const int slope = 4 * half - whole;
    for (const int value : {at_begin, slope, whole - slope, 0})
      gains.push_back(static_cast<int16_t>(value));
  }
  gains.pop_back();
  return gains;
}

}  // namespace thimble::zoo
