// SPDX-License-Identifier: Apache-2.0
// Schedule + addresses -> Program: views formed for the kernels that steps name, constants packed
// once.
#pragma once

#include "thimble/plan/placement.h"
#include "thimble/program/program.h"

namespace thimble {

/// Whether a Program holds the data that its kernels read, or is for estimates alone.
enum class Constants : uint8_t { kPacked, kLeftOut };

/// The schedule must not be malformed() and `placement` must hold one address per buffer. Steps
/// that would copy a buffer onto itself (reshape in place) become nothing.
[[nodiscard]] Program lower(const Graph& graph, const Schedule& schedule,
                            const Placement& placement, Constants constants = Constants::kPacked);

}  // namespace thimble
