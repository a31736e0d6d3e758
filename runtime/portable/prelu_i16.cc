// SPDX-License-Identifier: Apache-2.0
#include "prelu.h"

namespace thimble::runtime {

void prelu_i16(const PreluParams& p, const View& x, const View& alpha, const View& out,
               const Region& region) noexcept {
  map_prelu<int16_t>(p, x, alpha, out, region);
}

}  // namespace thimble::runtime
