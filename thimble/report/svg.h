// SPDX-License-Identifier: Apache-2.0
// What pictures share: the frame, and text in it.
#pragma once

#include <string>

namespace thimble {

inline constexpr double kSvgFont = 11;

/// A model as titles have it: of a path the last part, on one line.
[[nodiscard]] std::string title_text(const std::string& model);

/// A white page around `body`. Width and height in pixels.
[[nodiscard]] std::string svg_page(double width, double height, const std::string& body);
/// anchor: start, middle or end. Any text: it is escaped.
[[nodiscard]] std::string svg_text(double x, double y, const char* anchor, const std::string& text);
/// To be read from below.
[[nodiscard]] std::string upright_svg_text(double x, double y, const char* anchor,
                                           const std::string& text);
/// `attributes` are those beside the ends: " stroke=\"#b03030\"".
[[nodiscard]] std::string svg_line(double x1, double y1, double x2, double y2,
                                   const std::string& attributes);

}  // namespace thimble
