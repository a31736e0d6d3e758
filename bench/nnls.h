// SPDX-License-Identifier: Apache-2.0
// Nonnegative least squares: Lawson and Hanson, "Solving Least Squares Problems", 1974, chapter 23,
// on the normal equations.
#pragma once

#include <vector>

namespace thimble {

/// x >= 0 that minimises |A x - b|. rows: of A, all as long; one entry of `b` per row. Columns
/// without a number that is not 0 get 0.
[[nodiscard]] std::vector<double> nonnegative_least_squares(
    const std::vector<std::vector<double>>& rows, const std::vector<double>& b);

}  // namespace thimble
