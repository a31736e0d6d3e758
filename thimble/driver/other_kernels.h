// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "thimble/driver/compiled.h"

namespace thimble {

/// The compiled plan with the kernels that another core has, with no more than so many bytes live,
/// laid out quickly. Nothing of a saved plan: what was decided is not known.
[[nodiscard]] std::optional<RealisedPlan> with_other_kernels(const Compiled& compiled,
                                                             const Core& core, int64_t live_bytes);

}  // namespace thimble
