// SPDX-License-Identifier: Apache-2.0
// Text for XML, whatever bytes a model's names are made of.
#pragma once

#include <string>
#include <string_view>

namespace thimble {

/// `text` for content and quoted attributes: markup escaped; bytes that are not UTF-8 and
/// characters that XML does not allow (control characters, U+FFFE) become U+FFFD.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace thimble
