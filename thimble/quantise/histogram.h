// SPDX-License-Identifier: Apache-2.0
// How often a tensor takes which values, and what a range that leaves some out costs.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/quantise/range.h"

namespace thimble {

/// Counts in bins of one width: the least power of two by which all values fall into 2,048 of them.
/// So the counts are the same in whatever order values come, and bounded.
class Histogram {
 public:
  void add(const std::vector<float>& values);  ///< finite ones
  void include(const Histogram& other);
  [[nodiscard]] bool empty() const { return counts_.empty(); }

  /// visit(centre of a bin, its count), upwards, for those that are not empty.
  template <class Visit>
  void visit(const Visit& visit) const {
    for (size_t k = 0; k < counts_.size(); ++k)
      if (counts_[k] > 0) visit(centre(k), counts_[k]);
  }

 private:
  [[nodiscard]] double centre(size_t k) const;
  [[nodiscard]] int64_t bin_of(double value) const;
  /// Wider bins, and bins for indices from first to last.
  void widen(int exponent);
  void cover(int64_t first, int64_t last);

  int exponent_ = -126;  ///< bins are 2^exponent wide
  int64_t first_ = 0;    ///< bin k is from (first + k) 2^exponent on
  std::vector<int64_t> counts_;
};

/// Within the range that was seen, for int8: the one with the least squared error, counting what it
/// clips.
[[nodiscard]] Range least_error_range(const Histogram& histogram, const Range& seen);
/// What remains without the outermost `share` of all values on either side.
[[nodiscard]] Range percentile_range(const Histogram& histogram, const Range& seen, double share);

using Histograms = std::vector<Histogram>;  ///< by TensorId; empty as of Ranges
void include(Histograms& all, const Histograms& some);

}  // namespace thimble
