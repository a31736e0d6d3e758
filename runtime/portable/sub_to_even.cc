// SPDX-License-Identifier: Apache-2.0
#include "number_pairs.h"

namespace thimble::runtime {

void sub_to_even(const NumberPairParams& p, const View& a, const View& b, const View& out,
                 const Region& region) noexcept {
  map_number_pairs(p, a, b, out, region, [](float x, float y) { return x - y; });
}

}  // namespace thimble::runtime
