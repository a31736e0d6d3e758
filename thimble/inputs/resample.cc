// SPDX-License-Identifier: Apache-2.0
#include "thimble/inputs/resample.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace thimble {
namespace {

constexpr double kZeroCrossings = 16;  ///< on each side

/// At `position` of the samples, low-passed to `cutoff` of their bandwidth.
double at_position(const std::vector<int16_t>& samples, double position, double cutoff) {
  const double reach = kZeroCrossings / cutoff;
  const auto first = static_cast<int64_t>(std::ceil(position - reach));
  const auto last = static_cast<int64_t>(std::floor(position + reach));
  double sum = 0;
  for (int64_t k = std::max<int64_t>(first, 0);
       k <= std::min(last, static_cast<int64_t>(samples.size()) - 1); ++k) {
    const double x = (static_cast<double>(k) - position) * cutoff;
    const double sinc = x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
    const double window = 0.5 + 0.5 * std::cos(std::numbers::pi * x / kZeroCrossings);
    sum += samples[static_cast<size_t>(k)] * sinc * window * cutoff;
  }
  return sum;
}

/// Every `step`-th sample.
std::vector<int16_t> stepped(const std::vector<int16_t>& samples, double step) {
  std::vector<int16_t> result;
  const auto count = static_cast<size_t>(static_cast<double>(samples.size()) / step);
  for (size_t k = 0; k < count; ++k) {
    const double value =
        at_position(samples, static_cast<double>(k) * step, std::min(1.0, 1 / step));
    result.push_back(static_cast<int16_t>(std::clamp<int64_t>(std::llround(value), -32768, 32767)));
  }
  return result;
}

}  // namespace

Sound resampled(const Sound& sound, int32_t rate) {
  if (sound.rate == rate) return sound;
  return {rate, sound.channels, stepped(sound.samples, double{1} * sound.rate / rate)};
}

Sound sped_up(const Sound& sound, double factor) {
  return {sound.rate, sound.channels, stepped(sound.samples, factor)};
}

}  // namespace thimble
