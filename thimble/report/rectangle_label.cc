// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/rectangle_label.h"

#include <algorithm>
#include <cstdint>

namespace thimble {

bool meet(const Rectangle& a, const Rectangle& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
namespace {

constexpr double kLineHeight = 1.2;  // of the font size
constexpr double kMargin = 3;        // before and behind a line

bool fits(const Rectangle& room, const FittedLabel& label, double font_size) {
  double width = 0;
  for (const std::string& line : label.lines) width = std::max(width, text_width(line, font_size));
  width += 2 * kMargin;
  double height = static_cast<double>(label.lines.size()) * kLineHeight * font_size;
  if (label.upright) std::swap(width, height);
  return width <= room.width && height <= room.height;
}

}  // namespace

double text_width(const std::string& text, double font_size) {
  constexpr double kCharacter = 0.6;  // of the font size
  const auto characters = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<uint8_t>(c) & 0xC0) != 0x80;  // continues a character of UTF-8
  });
  return static_cast<double>(characters) * kCharacter * font_size;
}

FittedLabel fit_label(const Rectangle& room, const std::string& name, const std::string& bytes,
                      const std::string& short_name, double font_size) {
  const std::string both = name + ", " + bytes;
  const FittedLabel candidates[] = {
      {{name, bytes}, false},       {{both}, false}, {{name, bytes}, true}, {{both}, true},
      {{short_name, bytes}, false}, {{name}, false}, {{short_name}, false}, {{short_name}, true}};
  for (const FittedLabel& label : candidates) {
    if (fits(room, label, font_size)) return label;
  }
  return {};
}

}  // namespace thimble
