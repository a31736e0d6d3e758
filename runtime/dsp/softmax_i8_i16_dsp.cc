// SPDX-License-Identifier: Apache-2.0
#include "softmax_exponentials.h"

namespace thimble::runtime {

void softmax_i8_i16_dsp(const SoftmaxExponentialsParams& p, const View& x, const View& out,
                        const Region& region) noexcept {
  softmax_by_table<int16_t>(p, x, out, region);
}

}  // namespace thimble::runtime
