// SPDX-License-Identifier: Apache-2.0
// A reader for the XML that reports write, strict about what makes it well-formed.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace thimble::testing {

struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;   ///< directly inside it
  size_t parent = 0;  ///< number of the element around it; the first is its own
};

/// In the order they begin. Throws std::runtime_error where the text is not well-formed: tags that
/// do not match, attributes twice or without quotes, bare '&' or '<', entities beyond XML's five,
/// bytes that are no UTF-8, control characters. No comments, no CDATA.
[[nodiscard]] std::vector<XmlElement> parse_xml(std::string_view text);

}  // namespace thimble::testing
