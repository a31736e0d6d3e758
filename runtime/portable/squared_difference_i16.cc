// SPDX-License-Identifier: Apache-2.0
#include "scaled_pair.h"

namespace thimble::runtime {

void squared_difference_i16(const AddParams& p, const View& a, const View& b, const View& out,
                            const Region& region) noexcept {
  map_scaled_pairs<int16_t>(p, a, b, out, region, [](int32_t x, int32_t y) {
    const int32_t difference = x - y;
    return difference * difference;
  });
}

}  // namespace thimble::runtime
