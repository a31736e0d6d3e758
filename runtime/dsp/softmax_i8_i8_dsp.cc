// SPDX-License-Identifier: Apache-2.0
#include "softmax_exponentials.h"

namespace thimble::runtime {

void softmax_i8_i8_dsp(const SoftmaxExponentialsParams& p, const View& x, const View& out,
                       const Region& region) noexcept {
  softmax_by_table<int8_t>(p, x, out, region);
}

}  // namespace thimble::runtime
