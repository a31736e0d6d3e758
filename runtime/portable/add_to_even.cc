// SPDX-License-Identifier: Apache-2.0
#include "rounded_number.h"

namespace thimble::runtime {

void add_to_even(const AddToEvenParams& p, const View& a, const View& b, const View& out,
                 const Region& region) noexcept {
  const AddToEvenParams q = p;  // a copy that stores of int8 cannot alias
  map_pairs<int8_t>(a, b, out, region, [&q](int32_t x, int32_t y) {
    const float second = multiply_add(static_cast<float>(y), q.scale[1], q.constant);
    const float sum = multiply_add(static_cast<float>(x), q.scale[0], second);
    return static_cast<int8_t>(limit(to_whole(sum), q.clamp_min, q.clamp_max));
  });
}

}  // namespace thimble::runtime
