// SPDX-License-Identifier: Apache-2.0
// Boxes with captions on pictures.
#pragma once

#include <string>

#include "thimble/inputs/fit.h"
#include "thimble/inputs/image.h"

namespace thimble {

/// In pixels; it may reach beyond the picture.
struct DrawnBox {
  double left = 0, top = 0, right = 0, bottom = 0;
  std::string caption;
  size_t colour = 0;  ///< boxes of equal numbers have equal colours
};
/// image: of three channels.
void draw_box(Image& image, const DrawnBox& box);

/// The part of a picture that a network of width x height sees, in the picture's pixels; beyond its
/// sides where it is padded.
struct SeenPart {
  double left = 0, top = 0, width = 0, height = 0;
};
[[nodiscard]] SeenPart seen_part(const Image& image, int32_t width, int32_t height, Fit fit);

}  // namespace thimble
