// SPDX-License-Identifier: Apache-2.0
// Where figures come from: reports carry it, so that they can be made again.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace thimble {

struct Origin {
  std::string version, commit;  ///< of Thimble; a commit that nobody knows is "unknown"
  std::string command;          ///< that made them
  std::string sha256;           ///< of the one model (Source::sha256); empty: there is none
};

/// A report (json_text) with a second field "made_by".
[[nodiscard]] std::string json_with(const Origin& origin, const std::string& report);
/// A picture (svg_page) with a description, which browsers show beside the mouse.
[[nodiscard]] std::string svg_with(const Origin& origin, const std::string& svg);
/// "Made by thimble 0.1.0 (commit 1a2b3c4): `thimble compare ...`", below a table for pages.
[[nodiscard]] std::string markdown_with(const Origin& origin, const std::string& markdown);

}  // namespace thimble
