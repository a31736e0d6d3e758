// SPDX-License-Identifier: Apache-2.0
#include "thimble/inputs/resample.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace thimble {
namespace {

constexpr size_t kZeroCrossings = 16;  ///< on each side
constexpr size_t kSteps = 1024;        ///< of the table, from one crossing to the next

/// A sinc in a Hann window, from its middle on.
const std::vector<double>& kernel() {
  static const std::vector<double> table = [] {
    std::vector<double> values = {1};
    for (size_t k = 1; k <= kZeroCrossings * kSteps; ++k) {
      const double x = std::numbers::pi * static_cast<double>(k) / kSteps;
      values.push_back(std::sin(x) / x * (0.5 + 0.5 * std::cos(x / kZeroCrossings)));
    }
    values.push_back(0);
    return values;
  }();
  return table;
}

/// At `position` of the samples, low-passed to `cutoff` of their bandwidth.
double at_position(const std::vector<int16_t>& samples, double position, double cutoff) {
  const std::vector<double>& table = kernel();
  const double reach = kZeroCrossings / cutoff;
  const auto first = std::max<int64_t>(static_cast<int64_t>(std::ceil(position - reach)), 0);
  const auto last = std::min(static_cast<int64_t>(std::floor(position + reach)),
                             static_cast<int64_t>(samples.size()) - 1);
  double sum = 0;
  for (int64_t k = first; k <= last; ++k) {
    const double at = std::abs(static_cast<double>(k) - position) * cutoff * kSteps;
    const auto below = std::min(static_cast<size_t>(at), kZeroCrossings * kSteps);
    const double share = at - static_cast<double>(below);
    sum += samples[static_cast<size_t>(k)] *
           (table[below] + share * (table[below + 1] - table[below]));
  }
  return sum * cutoff;
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
