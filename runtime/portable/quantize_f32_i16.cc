// SPDX-License-Identifier: Apache-2.0
#include "quantize.h"

namespace thimble::runtime {

void quantize_f32_i16(const FloatParams& p, const View& x, const View& out,
                      const Region& region) noexcept {
  quantize<int16_t>(p, x, out, region, -32768, 32767);
}

}  // namespace thimble::runtime
