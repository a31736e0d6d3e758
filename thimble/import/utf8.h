// SPDX-License-Identifier: Apache-2.0
// Text from outside: file names and tensor names are bytes, and need not be UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace thimble {

/// What stands at a place of a text: a code point, or a byte that is no UTF-8.
struct CodePoint {
  uint32_t value = 0;  ///< the byte itself if !valid
  size_t size_bytes = 1;
  bool valid = true;
};
/// text must not be empty. Overlong forms, surrogates and values above U+10FFFF are not valid.
[[nodiscard]] CodePoint first_code_point(std::string_view text);

/// The text with U+FFFD for each byte that is no UTF-8.
[[nodiscard]] std::string valid_utf8(std::string_view text);

/// Names end up in terminals, JSON and comments of C++: control characters and broken UTF-8 become
/// '?'.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace thimble
