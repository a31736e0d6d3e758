// SPDX-License-Identifier: Apache-2.0
// JSON from files of strangers: memory in proportion to the text, time almost so.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace thimble {

struct JsonLimits {
  int depth = 16;                   ///< of arrays and objects inside each other
  size_t bytes = size_t{64} << 20;  ///< of text: each may take some fifty of memory
};

/// Throws std::invalid_argument that says what is wrong: text that is no JSON, too long or nested
/// too deeply (refused at the bracket that is one too many), or a key twice in one object, which
/// readers would resolve differently.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, const JsonLimits& limits);

}  // namespace thimble
