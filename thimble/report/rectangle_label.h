// SPDX-License-Identifier: Apache-2.0
// Which label fits into a rectangle of a picture, and how it lies there.
#pragma once

#include <string>
#include <vector>

namespace thimble {

/// In the units of the picture; y grows downwards.
struct Rectangle {
  double x = 0, y = 0, width = 0, height = 0;
};

/// Whether they have a point in common, beyond their edges.
[[nodiscard]] bool meet(const Rectangle& a, const Rectangle& b);

/// About as wide as a browser draws it in a sans-serif font.
[[nodiscard]] double text_width(const std::string& text, double font_size);

struct FittedLabel {
  std::vector<std::string> lines;  ///< none: nothing fits
  bool upright = false;            ///< turned by a quarter, to be read from below
};

/// The first of these that fits: name and bytes in two lines or one, level or upright; the short
/// name and bytes; name or short name alone; nothing.
[[nodiscard]] FittedLabel fit_label(const Rectangle& room, const std::string& name,
                                    const std::string& bytes, const std::string& short_name,
                                    double font_size);

}  // namespace thimble
