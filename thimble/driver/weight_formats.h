// SPDX-License-Identifier: Apache-2.0
// What a plan would take with weights in each format (target/core.h): bytes of flash, and time.
#pragma once

#include <vector>

#include "thimble/driver/compiled.h"
#include "thimble/report/weight_formats_text.h"

namespace thimble {

/// The compiled plan with the kernels of each format, in the memory that it has; the format that it
/// is in first, and no two that take the same. Empty for cores whose kernels have one format only.
[[nodiscard]] std::vector<WeightFormat> weight_formats(const Compiled& compiled);

}  // namespace thimble
