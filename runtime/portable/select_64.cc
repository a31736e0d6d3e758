// SPDX-License-Identifier: Apache-2.0
#include "select.h"

namespace thimble::runtime {

void select_64(const View& condition, const View& x, const View& y, const View& out,
               const Region& region) noexcept {
  select<uint64_t>(condition, x, y, out, region);
}

}  // namespace thimble::runtime
