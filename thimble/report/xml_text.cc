// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/xml_text.h"

#include <cstdint>

namespace thimble {
namespace {

struct Decoded {
  uint32_t code = 0;
  size_t length = 0;  ///< in bytes; 0 if they are no UTF-8
};

Decoded decode(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  uint32_t code = lead & (0xFFU >> (length + 1));
  for (size_t k = 1; k < length; ++k) {
    const auto byte = static_cast<uint8_t>(text[k]);
    if ((byte & 0xC0) != 0x80) return {};
    code = code << 6 | (byte & 0x3F);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kSmallest[length] || code > 0x10FFFF || surrogate) return {};
  return {code, length};
}

// XML 1.0, production Char, without the line breaks and the controls of Latin-1.
bool allowed(uint32_t code) {
  return code >= 0x20 && !(code >= 0x7F && code <= 0x9F) && code != 0xFFFE && code != 0xFFFF;
}

}  // namespace

std::string xml_text(std::string_view text) {
  constexpr const char* kReplacement = "\xEF\xBF\xBD";
  std::string result;
  while (!text.empty()) {
    const Decoded decoded = decode(text);
    const size_t length = decoded.length == 0 ? 1 : decoded.length;
    if (decoded.length == 0 || !allowed(decoded.code)) {
      result += kReplacement;
    } else if (decoded.code == '&') {
      result += "&amp;";
    } else if (decoded.code == '<') {
      result += "&lt;";
    } else if (decoded.code == '>') {
      result += "&gt;";
    } else if (decoded.code == '"') {
      result += "&quot;";
    } else if (decoded.code == '\'') {
      result += "&apos;";
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return result;
}

}  // namespace thimble
