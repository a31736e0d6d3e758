// SPDX-License-Identifier: Apache-2.0
// The addresses of one memory's buffers.
#pragma once

#include <vector>

#include "thimble/plan/placement.h"

namespace thimble {

/// Those of buffers with bytes, into `addresses`; the others' stay as they are.
[[nodiscard]] MemoryPlacement lay_out(const layout::Problem& problem,
                                      const PlacementOptions& options,
                                      std::vector<int64_t>& addresses);

}  // namespace thimble
