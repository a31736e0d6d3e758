// SPDX-License-Identifier: Apache-2.0
#include "gather.h"

namespace thimble::runtime {

void gather_8(const GatherParams& p, const View& x, const View& indices, const View& out,
              const Region& region) noexcept {
  gather<int8_t>(p, x, indices, out, region);
}

}  // namespace thimble::runtime
