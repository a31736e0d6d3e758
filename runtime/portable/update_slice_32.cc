// SPDX-License-Identifier: Apache-2.0
#include "update_slice.h"

namespace thimble::runtime {

void update_slice_32(const UpdateSliceParams& p, const View& x, const View& update,
                     const View& begins, const View& out, const Region& region) noexcept {
  update_slice<int32_t>(p, x, update, begins, out, region);
}

}  // namespace thimble::runtime
