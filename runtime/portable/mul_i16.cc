// SPDX-License-Identifier: Apache-2.0
#include "multiplied_pair.h"

namespace thimble::runtime {

void mul_i16(const MulParams& p, const View& a, const View& b, const View& out,
             const Region& region) noexcept {
  map_multiplied_pairs<int16_t>(p, a, b, out, region);
}

}  // namespace thimble::runtime
