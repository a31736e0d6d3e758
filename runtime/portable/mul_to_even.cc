// SPDX-License-Identifier: Apache-2.0
#include "rounded_number.h"

namespace thimble::runtime {

void mul_to_even(const MulToEvenParams& p, const View& a, const View& b, const View& out,
                 const Region& region) noexcept {
  const MulToEvenParams q = p;  // a copy that stores of int8 cannot alias
  map_pairs<int8_t>(a, b, out, region, [&q](int32_t x, int32_t y) {
    const int32_t product = (x - q.zero_point[0]) * (y - q.zero_point[1]);
    const float scaled = static_cast<float>(product) * q.scale;
    return static_cast<int8_t>(
        limit(to_whole(scaled + q.output_zero_point), q.clamp_min, q.clamp_max));
  });
}

}  // namespace thimble::runtime
