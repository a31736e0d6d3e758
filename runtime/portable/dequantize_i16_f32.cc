// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void dequantize_i16_f32(const FloatParams& p, const View& x, const View& out,
                        const Region& region) noexcept {
  const FloatParams q = p;
  map_elements<int16_t, float>(x, out, region, [&q](int32_t value) {
    return q.scale * static_cast<float>(value - q.zero_point);
  });
}

}  // namespace thimble::runtime
