// SPDX-License-Identifier: Apache-2.0
// Which taps of a sliding window fall on the image.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/model/attributes.h"

namespace thimble::reference {

/// Taps [begin, end) of one axis of the window; tap k reads the input at origin + k * dilation.
struct Taps {
  int64_t begin = 0, end = 0;
  int64_t origin = 0;
  int64_t dilation = 1;

  [[nodiscard]] int64_t count() const { return end - begin; }
  [[nodiscard]] int64_t position(int64_t tap) const { return origin + tap * dilation; }
};

/// The taps of output row y inside an image of in_h rows; those of output column x, of in_w
/// columns.
[[nodiscard]] Taps taps_of_row(const Window& window, int64_t y, int64_t in_h);
[[nodiscard]] Taps taps_of_column(const Window& window, int64_t x, int64_t in_w);

/// Extents of an NHWC tensor.
struct Image {
  int64_t n = 0, h = 0, w = 0, c = 0;

  explicit Image(const std::vector<int64_t>& shape);
  /// Element number of channel 0 of a pixel.
  [[nodiscard]] int64_t pixel(int64_t in, int64_t y, int64_t x) const {
    return ((in * h + y) * w + x) * c;
  }
};

}  // namespace thimble::reference
