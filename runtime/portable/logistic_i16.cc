// SPDX-License-Identifier: Apache-2.0
#include "sigmoid.h"

namespace thimble::runtime {

void logistic_i16(const SigmoidParams& p, const View& x, const View& out,
                  const Region& region) noexcept {
  map_elements<int16_t, int16_t>(x, out, region,
                                 [&p](int32_t value) { return logistic_between(p, value); });
}

}  // namespace thimble::runtime
