// SPDX-License-Identifier: Apache-2.0
#include "thimble/projects/filled.h"

namespace thimble {

std::string filled(std::string text,
                   const std::vector<std::pair<std::string_view, std::string>>& values) {
  for (const auto& [key, value] : values) {
    const std::string what = "@" + std::string(key) + "@";
    for (size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + value.size()))
      text.replace(at, what.size(), value);
  }
  return text;
}

}  // namespace thimble
