// SPDX-License-Identifier: Apache-2.0
#include "softmax.h"

namespace thimble::runtime {

void softmax_i8_i16(const SoftmaxParams& p, const View& x, const View& out,
                    const Region& region) noexcept {
  softmax<int16_t>(p, x, out, region, 16);
}

}  // namespace thimble::runtime
