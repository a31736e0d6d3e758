// SPDX-License-Identifier: Apache-2.0
// A text file compiled into the program (cmake/embed.cmake).
#pragma once

#include <span>
#include <string_view>

namespace thimble {

struct EmbeddedFile {
  std::string_view path;  ///< relative, with '/'
  std::string_view text;
};

/// devices/*.json.
[[nodiscard]] std::span<const EmbeddedFile> device_files();
/// cores/*.json.
[[nodiscard]] std::span<const EmbeddedFile> core_files();
/// cores/code/*.json.
[[nodiscard]] std::span<const EmbeddedFile> code_files();

}  // namespace thimble
