// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "thimble_runtime/real_functions.h"
#include "walk.h"

namespace thimble::runtime {

void l2_normalization_f32(const FloatL2NormalizationParams& p, const View& x, const View& out,
                          const Region& region) noexcept {
  if (region.begin[3] == region.end[3]) return;
  const int32_t channels = p.channels;
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t column) {
    const auto* from = pixel<const float>(x, n, y, column);
    auto* to = pixel<float>(out, n, y, column);
    float sum = 0;
    for (int32_t c = 0; c < channels; ++c) sum += real::square(from[c * x.stride[3]]);
    const float root = real::sqrt(sum), norm = root < 1e-6F ? 1e-6F : root;
    for (int32_t c = 0; c < channels; ++c) to[c * out.stride[3]] = from[c * x.stride[3]] / norm;
  });
}

}  // namespace thimble::runtime
