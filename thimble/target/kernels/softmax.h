// SPDX-License-Identifier: Apache-2.0
// The table of runtime::SoftmaxExponentialsParams.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble_runtime/kernels.h"

namespace thimble {

/// What the portable kernel computes for each difference to the largest input.
[[nodiscard]] std::vector<int32_t> exponentials_of(const runtime::SoftmaxParams& p);

}  // namespace thimble
