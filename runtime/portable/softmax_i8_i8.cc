// SPDX-License-Identifier: Apache-2.0
#include "softmax.h"

namespace thimble::runtime {

void softmax_i8_i8(const SoftmaxParams& p, const View& x, const View& out,
                   const Region& region) noexcept {
  softmax<int8_t>(p, x, out, region, 8);
}

}  // namespace thimble::runtime
