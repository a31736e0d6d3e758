// SPDX-License-Identifier: Apache-2.0
// One line of small letters, as rectangles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace thimble {

struct Caption {
  struct Bar {
    int32_t left = 0, top = 0, right = 0, bottom = 0;
  };
  int32_t width = 0, height = 0;
  std::vector<Bar> bars;
};
/// Letters of ASCII; others become '?'.
[[nodiscard]] Caption caption_of(const std::string& text);

}  // namespace thimble
