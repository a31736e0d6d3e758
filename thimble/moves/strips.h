// SPDX-License-Identifier: Apache-2.0
// Groups in strips: a loop over a few strips of columns around loops over rows and columns. What
// lies between two strips is computed again in both, and rows that are kept are as long as a strip.
//
//   loop {paced y, rows, step 1, roll; t recompute}         rows of 72 columns are kept
//     loop {paced y, columns, step 0, roll} ...
//   loop {paced y, columns, step 36, recompute}             rows of 36 columns and a few
//     loop {paced y, rows, step 1, roll; t recompute}
//       loop {paced y, columns, step 0, roll} ...
#pragma once

#include <optional>

#include "thimble/plan/dataflow.h"

namespace thimble {

/// The group, whose loops are over rows and columns within, in so many strips; nothing if it is
/// another one, or too narrow.
[[nodiscard]] std::optional<Group> in_strips(const Dataflow& dataflow, const Group& group,
                                             int64_t strips);

}  // namespace thimble
