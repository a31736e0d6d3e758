// SPDX-License-Identifier: Apache-2.0
#include "copy_nearest.h"

namespace thimble::runtime {

void resize_nearest_neighbor(const ResizeNearestNeighborParams& p, const View& x, const View& out,
                             const Region& region) noexcept {
  copy_nearest<int8_t>(p, x, out, region);
}

}  // namespace thimble::runtime
