// SPDX-License-Identifier: Apache-2.0
// An order of placement that learns from searches that failed: buffers that could not be placed in
// time come earlier in the next (the idea of weighted degrees in constraint solvers).
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace thimble::layout {

class LearningOrder {
 public:
  /// `base` decides as long as nothing is known.
  explicit LearningOrder(std::vector<int> base);

  [[nodiscard]] const std::vector<int>& base() const { return base_; }

  /// The order to try next: what was learnt, then the base, and a little chance.
  [[nodiscard]] std::vector<int> next(std::mt19937& random) const;

  /// blame[b]: how often buffer b was in the way, or left over, in the search with the last order.
  void learn(const std::vector<int64_t>& blame);

 private:
  std::vector<int> base_;
  std::vector<double> weight_;  ///< per buffer
};

}  // namespace thimble::layout
