// SPDX-License-Identifier: Apache-2.0
#include "copy_runs.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {

void copy_64(const View& x, const View& out, const Region& region) noexcept {
  copy_elements<int64_t>(x, out, region);
}

}  // namespace thimble::runtime
