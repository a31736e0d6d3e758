// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/utf8.h"

namespace thimble {
namespace {

size_t length_of(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const CodePoint invalid{.value = lead, .size_bytes = 1, .valid = false};
  const size_t size = length_of(lead);
  if (size == 0 || size > text.size()) return invalid;
  uint32_t value = size == 1 ? lead : lead & (0xFFU >> (size + 1));
  for (size_t k = 1; k < size; ++k) {
    const auto byte = static_cast<unsigned char>(text[k]);
    if ((byte & 0xC0U) != 0x80) return invalid;
    value = value << 6 | (byte & 0x3FU);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value < 0xE000;
  if (value < kLeast[size] || surrogate || value > 0x10FFFF) return invalid;
  return {.value = value, .size_bytes = size, .valid = true};
}

std::string valid_utf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    result += point.valid ? text.substr(0, point.size_bytes) : std::string_view("\xEF\xBF\xBD");
    text.remove_prefix(point.size_bytes);
  }
  return result;
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    const bool control = point.value < 0x20 || point.value == 0x7F;
    result += point.valid && !control ? text.substr(0, point.size_bytes) : std::string_view("?");
    text.remove_prefix(point.size_bytes);
  }
  return result;
}

}  // namespace thimble
