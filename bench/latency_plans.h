// SPDX-License-Identifier: Apache-2.0
// Plans of the shapes that fused groups have: what a latency model is fitted to beside whole
// operators, and judged by.
#pragma once

#include <optional>

#include "thimble/plan/derive.h"
#include "zoo/random.h"

namespace thimble {

/// How a group is tiled.
enum class Tiling : uint8_t {
  kRows,     ///< some rows at a time, in rings of rows
  kPixels,   ///< rows one by one, and within some columns at a time, in rings of pixels
  kSweeps,   ///< the same with several rows at a time: kept rows, windows, copies between them
  kStrips,   ///< columns outermost and computed again at the borders, within some rows at a time
  kPatches,  ///< rows and columns, both computed again at the borders
  kSlices,   ///< some channels at a time, added up by the last convolution
  kRandom,   ///< tests/support/random_plan.h: anything
  kCount,
};
[[nodiscard]] const char* name(Tiling tiling);  ///< "rows"

/// Some operators that follow one another as one such group, the others each by itself. Nothing if
/// none could be drawn that can be derived.
[[nodiscard]] std::optional<Plan> latency_plan(const AxisGraph& axes, Tiling tiling,
                                               zoo::Random& random);

}  // namespace thimble
