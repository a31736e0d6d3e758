// SPDX-License-Identifier: Apache-2.0
#include "thimble/inputs/font.h"

#include <stb/stb_easy_font.h>

#include <cstring>

namespace thimble {

Caption caption_of(const std::string& text) {
  constexpr size_t kMostLetters = 60, kLetterBytes = 270;
  struct Corner {
    float x, y, z;
    uint8_t colour[4];
  };
  std::string shown;
  for (const char c : text.substr(0, kMostLetters)) shown += c >= 32 && c < 127 ? c : '?';
  std::vector<char> buffer(kMostLetters * kLetterBytes);
  const int bars = stb_easy_font_print(0, 0, shown.data(), nullptr, buffer.data(),
                                       static_cast<int>(buffer.size()));
  Caption caption{.width = stb_easy_font_width(shown.data()),
                  .height = stb_easy_font_height(shown.data()),
                  .bars = {}};
  for (int n = 0; n < bars; ++n) {
    Corner corners[4];
    std::memcpy(corners, &buffer[static_cast<size_t>(n) * sizeof corners], sizeof corners);
    caption.bars.push_back({static_cast<int32_t>(corners[0].x), static_cast<int32_t>(corners[0].y),
                            static_cast<int32_t>(corners[2].x),
                            static_cast<int32_t>(corners[2].y)});
  }
  return caption;
}

}  // namespace thimble
