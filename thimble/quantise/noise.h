// SPDX-License-Identifier: Apache-2.0
// How far the values of a quantised tensor are from those of the original.
#pragma once

#include <optional>
#include <vector>

namespace thimble {

struct Noise {
  double signal = 0, noise = 0;  ///< sums of squares: of the original, of the differences
  double largest = 0;            ///< difference

  void add(const std::vector<float>& original, const std::vector<float>& quantised);
  void include(const Noise& other);
  /// Signal to quantisation noise in decibels; nothing: there is no noise, or no signal.
  [[nodiscard]] std::optional<double> sqnr() const;
};

}  // namespace thimble
