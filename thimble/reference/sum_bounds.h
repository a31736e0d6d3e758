// SPDX-License-Identifier: Apache-2.0
// Values of operators that add up: each product at its least and at its most, in 64 bits. Private
// to thimble/reference.
#pragma once

#include <vector>

#include "thimble/reference/bounds_of.h"
#include "thimble/reference/fixed_point.h"

namespace thimble::reference {

/// Sums before they are brought to 8 bits.
struct SumBounds {
  int64_t low = 0, high = 0;
};

[[nodiscard]] SumBounds operator+(SumBounds a, SumBounds b);
[[nodiscard]] SumBounds times(int64_t weight, SumBounds x);
[[nodiscard]] SumBounds product(SumBounds a, SumBounds b);
/// Less the zero point.
[[nodiscard]] std::vector<SumBounds> centred(const ValueRanges& values, int32_t zero_point);

/// requantise() of all sums of an interval: it rises with the sum, unless 32 bits overflow; then
/// any value of the range.
[[nodiscard]] ValueRange requantised(SumBounds sum, FixedFactor factor, int32_t zero_point,
                                     ActivationRange range);

/// Many sums of weights times values of the same channels: the inner loop has neither branches nor
/// 64 bits.
class Products {
 public:
  /// Values are of 8 bits.
  Products(const ValueRanges& values, int32_t zero_point);

  /// Bounds of the sum over the values [first, first + count).
  [[nodiscard]] SumBounds sum(const int8_t* weights, int32_t weight_zero_point, size_t first,
                              size_t count) const;

 private:
  std::vector<int32_t> low_, high_;
};

/// The operator is of int8; its weights and bias are constant, its sums have 32 bits.
[[nodiscard]] bool is_plain(const BoundsContext& context);

/// The sums of every tap of every output channel: [channel][kernel row][kernel column].
struct TapSums {
  const Window& window;
  Image in, out;
  std::vector<SumBounds> taps;

  /// Over all ways in which the window lies on the image: beyond it a tap adds nothing.
  [[nodiscard]] std::vector<SumBounds> over_positions() const;

 private:
  /// Sums of a channel's taps above and to the left: [kernel rows + 1][kernel columns + 1].
  [[nodiscard]] std::vector<SumBounds> sums_before(size_t o) const;
};

[[nodiscard]] std::vector<FixedFactor> convolution_factors_of(const BoundsContext& context);
/// What an operator with weights makes of the sums of its output channels without a bias.
[[nodiscard]] ValueRanges requantised_channels(const BoundsContext& context,
                                               const std::vector<SumBounds>& sums,
                                               const std::vector<FixedFactor>& factors,
                                               Activation activation);

}  // namespace thimble::reference
