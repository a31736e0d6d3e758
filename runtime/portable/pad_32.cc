// SPDX-License-Identifier: Apache-2.0
#include "pad.h"

namespace thimble::runtime {

void pad_32(const PadParams& p, const View& x, const View& out, const Region& region) noexcept {
  pad_elements<int32_t>(p, x, out, region);
}

}  // namespace thimble::runtime
