// SPDX-License-Identifier: Apache-2.0
// Where the rows of a resized image come from; columns likewise. As TensorFlow Lite computes it, so
// that the same rounding falls on the same row.
#pragma once

#include <vector>

#include "thimble/model/attributes.h"

namespace thimble {

/// RESIZE_NEAREST_NEIGHBOR: the row of `in` that each of `out` rows copies. The scale is a float32,
/// whose rounding may move a row by one: of 82 rows from 2, number 41 copies row 0.
[[nodiscard]] std::vector<int64_t> nearest_rows(const ResizeNearestNeighbor& a, int64_t in,
                                                int64_t out);

/// RESIZE_BILINEAR: row r stands at r * step + offset of the input, in 1/1024 of a row; before row
/// 0 with half-pixel centers.
struct LinearPositions {
  int64_t step = 1024, offset = 0;
  bool operator==(const LinearPositions&) const = default;
};
[[nodiscard]] LinearPositions linear_positions(const ResizeBilinear& a, int64_t in, int64_t out);

/// What lies there is between rows `first` and `last`, which are one at a border and on a row.
struct LinearRows {
  int64_t first = 0, last = 0;
  int64_t fraction = 0;  ///< of last, in 1/1024; first has the rest
  bool operator==(const LinearRows&) const = default;
};
[[nodiscard]] LinearRows linear_rows(const LinearPositions& positions, int64_t row, int64_t in);

/// RESIZE_BILINEAR of float32: between rows `first` and `last` of the input, `fraction` of the way,
/// which is below 0 before row 0.
struct RealRows {
  int64_t first = 0, last = 0;
  float fraction = 0;
  bool operator==(const RealRows&) const = default;
};
/// What each of `out` rows is made of.
[[nodiscard]] std::vector<RealRows> real_rows(const ResizeBilinear& a, int64_t in, int64_t out);

}  // namespace thimble
