// SPDX-License-Identifier: Apache-2.0
#include "reciprocal_root.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void l2_normalization(const L2NormalizationParams& p, const View& x, const View& out,
                      const Region& region) noexcept {
  constexpr int32_t kOutputBits = 7;
  if (region.begin[3] == region.end[3]) return;
  const L2NormalizationParams q = p;  // a copy that stores of int8 cannot alias
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const auto* from = pixel<const int8_t>(x, n, y, column);
    auto* to = pixel<int8_t>(out, n, y, column);
    int32_t sum = 0;
    for (int32_t c = 0; c < q.channels; ++c) {
      const int32_t value = from[c * x.stride[3]] - q.input_zero_point;
      sum += value * value;
    }
    const Scale scale = one_over_root(sum);
    for (int32_t c = 0; c < q.channels; ++c) {
      const int32_t value = from[c * x.stride[3]] - q.input_zero_point;
      to[c * out.stride[3]] = static_cast<int8_t>(
          limit(requantise(value, scale.multiplier, scale.shift + kOutputBits), -128, 127));
    }
  });
}

}  // namespace thimble::runtime
