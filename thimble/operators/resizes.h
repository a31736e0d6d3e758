// SPDX-License-Identifier: Apache-2.0
// What operators that resize images share. Private to thimble/operators.
#pragma once

#include <vector>

#include "thimble/operators/predicates.h"
#include "thimble/regions/access_map.h"

namespace thimble {

/// Rows of the input, first to last, that a row of the output is computed from.
struct RowRange {
  int64_t first = 0, last = 0;
};

/// The narrowest map with `in` rows for every `out` that names what each row of the output needs.
/// It names no more if the rows follow that ratio; else (aligned corners) up to one more at each
/// end.
///
///   nearest, 4 rows from 2: 0 0 1 1             floor(r / 2)
///   bilinear, half-pixel:   0 01 01 1           floor((r - 1) / 2) to floor((r + 1) / 2)
///
/// Where the ratio is that of a stride to all of the image (97 rows from 49), it is the stride's:
/// so rows keep pace with what has not been resized.
[[nodiscard]] Affine resize_map(int axis, const std::vector<RowRange>& rows, int64_t in);

bool image_is_resized(const Graph& graph, const Op& op);
inline constexpr Constraint kImageIsResized{
    "the output has the input's batch and channels, and all heights and widths are 1 to 32767",
    image_is_resized};

}  // namespace thimble
