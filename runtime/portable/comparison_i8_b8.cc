// SPDX-License-Identifier: Apache-2.0
#include "comparison.h"
#include "fixed_point.h"

namespace thimble::runtime {

void comparison_i8_b8(const ComparisonParams& p, const View& a, const View& b, const View& out,
                      const Region& region) noexcept {
  constexpr int32_t kLeftShift = 8;
  const ComparisonParams q = p;  // a copy that stores of bytes cannot alias
  const auto scaled = [&q](int32_t value, int32_t input) {
    return requantise(shift_left(value - q.zero_point[input], kLeftShift),
                      q.scale[input].multiplier, q.scale[input].shift);
  };
  map_pairs<int8_t, uint8_t>(a, b, out, region, [&](int32_t x, int32_t y) {
    return is_accepted(q.accepted, scaled(x, 0), scaled(y, 1));
  });
}

}  // namespace thimble::runtime
