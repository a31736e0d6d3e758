// SPDX-License-Identifier: Apache-2.0
#include "mean.h"

#include "walk.h"

namespace thimble::runtime {
namespace {

// Sum of the elements of `summed`.
int32_t sum_of(const View& x, const Region& summed) noexcept {
  int32_t sum = 0;
  for_each_pixel(summed, [&](int32_t n, int32_t y, int32_t column) {
    const auto* from = first_channel<const int8_t>(x, summed, n, y, column);
    for (int32_t c = summed.begin[3]; c < summed.end[3]; ++c, from += x.stride[3]) sum += *from;
  });
  return sum;
}

}  // namespace

void mean(const MeanParams& p, const View& x, const View& out, const Region& region) noexcept {
  const int32_t count = count_of(p);
  Region summed{};
  for (int32_t axis = 0; axis < 4; ++axis) {
    if (p.reduced[axis] != 0) summed.end[axis] = p.in_extent[axis];
  }
  auto hold = [&](int32_t axis, int32_t index) {
    if (p.reduced[axis] != 0) return;
    summed.begin[axis] = index;
    summed.end[axis] = index + 1;
  };
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    hold(0, n);
    hold(1, y);
    hold(2, column);
    auto* to = pixel<int8_t>(out, n, y, column);
    for (int32_t c = region.begin[3]; c < region.end[3]; ++c) {
      hold(3, c);
      to[c * out.stride[3]] = mean_of(p, sum_of(x, summed), count);
    }
  });
}

}  // namespace thimble::runtime
