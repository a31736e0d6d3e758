// SPDX-License-Identifier: Apache-2.0
// Images that are computed row by row, or pixel by pixel, by a clock of rows and, within each of
// its ticks, a clock of columns (plan/clock.h derives both): how far one runs ahead of what another
// still reads. That is the size of a ring, and the lead of an output over consumed input.
//
//   at tick (i, j) the rows of tick i in the columns of tick j: so pixels come in row-major order,
//   and of a 3 x 3 window two rows and three pixels are held
#pragma once

#include <optional>

#include "thimble/analysis/beat.h"

namespace thimble {

struct Raster {
  Beat rows, columns;
  int64_t height = 1, width = 1;
};

/// Whole rows: all columns at the only tick of theirs.
[[nodiscard]] Beat all_columns(int64_t width);

/// What computes `out` reads an image of `width` columns.
struct RasterReader {
  Raster out;
  Affine rows;
  std::optional<Affine> columns;  ///< nothing: all columns
  int64_t width = 1;
  bool later = false;  ///< within a tick it reads when the writer has written
};

struct RasterTicks {
  int64_t rows = 1, columns = 1;
};

/// The most, over all ticks and as long as the reader needs anything, of
///   written_unit * pixels of `written` that are complete
///     - read_unit * number of the first pixel that the reader still needs.
/// Nothing if it never needs anything after a pixel has been written.
[[nodiscard]] std::optional<int64_t> most_ahead(const Raster& written, int64_t written_unit,
                                                const RasterReader& reader, int64_t read_unit,
                                                const RasterTicks& ticks);

}  // namespace thimble
