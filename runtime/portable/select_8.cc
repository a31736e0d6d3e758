// SPDX-License-Identifier: Apache-2.0
#include "select.h"

namespace thimble::runtime {

void select_8(const View& condition, const View& x, const View& y, const View& out,
              const Region& region) noexcept {
  select<uint8_t>(condition, x, y, out, region);
}

}  // namespace thimble::runtime
