// SPDX-License-Identifier: Apache-2.0
#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void cumsum(const CumSumParams& p, const View& x, const View& out, const Region& region) noexcept {
  constexpr int32_t kLeftShift = 19;
  if (region.begin[3] == region.end[3]) return;
  const CumSumParams q = p;  // a copy that stores of int8 cannot alias
  const int32_t step = q.reverse != 0 ? -1 : 1;
  const int32_t first = q.reverse != 0 ? q.channels - 1 : 0;
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const auto* from = pixel<const int8_t>(x, n, y, column) + first * x.stride[3];
    auto* to = pixel<int8_t>(out, n, y, column) + first * out.stride[3];
    int32_t sum = -q.input_zero_point;
    for (int32_t c = 0; c < q.channels; ++c) {
      const int32_t next = sum + *from - q.input_zero_point;
      const int32_t value = requantise(shift_left(q.exclusive != 0 ? sum : next, kLeftShift),
                                       q.scale.multiplier, q.scale.shift);
      *to = static_cast<int8_t>(limit(value + q.output_zero_point, -128, 127));
      sum = next;
      from += step * x.stride[3];
      to += step * out.stride[3];
    }
  });
}

}  // namespace thimble::runtime
