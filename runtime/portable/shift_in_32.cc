// SPDX-License-Identifier: Apache-2.0
#include "shift_in.h"

namespace thimble::runtime {

void shift_in_32(const ShiftInParams& p, const View& state, const View& newest, const View& out,
                 const Region& region) noexcept {
  shift_in<int32_t>(p, state, newest, out, region);
}

}  // namespace thimble::runtime
