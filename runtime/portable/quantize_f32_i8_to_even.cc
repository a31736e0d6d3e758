// SPDX-License-Identifier: Apache-2.0
#include "rounded_number.h"

namespace thimble::runtime {

void quantize_f32_i8_to_even(const FloatParams& p, const View& x, const View& out,
                             const Region& region) noexcept {
  const FloatParams q = p;  // a copy that stores of int8 cannot alias
  map_elements<float, int8_t>(x, out, region, [&](float value) {
    const float number = value == value ? value : 0.0F;  // NaN gives 0
    return rounded_number(number, q.scale, q.zero_point, -128, 127);
  });
}

}  // namespace thimble::runtime
