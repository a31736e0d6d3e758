// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void pad(const PadParams& p, const View& x, const View& out, const Region& region) noexcept {
  auto within = [&p](int32_t axis, int32_t index) {
    return index >= p.before[axis] && index - p.before[axis] < p.in_extent[axis];
  };
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const bool pixel_within = within(0, n) && within(1, y) && within(2, column);
    const int8_t* from = nullptr;
    if (pixel_within) {
      from = pixel<const int8_t>(x, n - p.before[0], y - p.before[1], column - p.before[2]);
    }
    auto* to = pixel<int8_t>(out, n, y, column);
    for (int32_t c = region.begin[3]; c < region.end[3]; ++c) {
      to[c * out.stride[3]] = pixel_within && within(3, c) ? from[(c - p.before[3]) * x.stride[3]]
                                                           : static_cast<int8_t>(p.value);
    }
  });
}

}  // namespace thimble::runtime
