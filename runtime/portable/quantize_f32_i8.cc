// SPDX-License-Identifier: Apache-2.0
#include "quantize.h"

namespace thimble::runtime {

void quantize_f32_i8(const FloatParams& p, const View& x, const View& out,
                     const Region& region) noexcept {
  quantize<int8_t>(p, x, out, region, -128, 127);
}

}  // namespace thimble::runtime
