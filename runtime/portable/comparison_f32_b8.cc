// SPDX-License-Identifier: Apache-2.0
#include "comparison.h"

namespace thimble::runtime {

void comparison_f32_b8(const RelationParams& p, const View& a, const View& b, const View& out,
                       const Region& region) noexcept {
  const int32_t accepted = p.accepted;
  map_pairs<float, uint8_t>(a, b, out, region,
                            [accepted](float x, float y) { return is_accepted(accepted, x, y); });
}

}  // namespace thimble::runtime
