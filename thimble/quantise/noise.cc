// SPDX-License-Identifier: Apache-2.0
#include "thimble/quantise/noise.h"

#include <algorithm>
#include <cmath>

#include "thimble/model/error.h"

namespace thimble {

void Noise::add(const std::vector<float>& original, const std::vector<float>& quantised) {
  check(original.size() == quantised.size(), "both are values of one tensor");
  for (size_t i = 0; i < original.size(); ++i) {
    const double difference = double{quantised[i]} - original[i];
    signal += double{original[i]} * original[i];
    noise += difference * difference;
    largest = std::max(largest, std::abs(difference));
  }
}

void Noise::include(const Noise& other) {
  signal += other.signal;
  noise += other.noise;
  largest = std::max(largest, other.largest);
}

std::optional<double> Noise::sqnr() const {
  if (noise == 0 || signal == 0) return std::nullopt;
  return 10 * std::log10(signal / noise);
}

}  // namespace thimble
