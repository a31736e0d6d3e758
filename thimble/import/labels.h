// SPDX-License-Identifier: Apache-2.0
// Names of classes, in files with a line for each.
//
//   daisy            0 daisy          both: {"daisy", "rose"}
//   rose             1 rose
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace thimble {

/// A line is a name; empty lines at the end are none. Where each line begins with a number larger
/// than the one before, it is that of its class, and classes without a line have the name "".
/// Throws CompileError, in the name of `where`: not UTF-8, control characters, too many, none.
[[nodiscard]] std::vector<std::string> labels_in(std::string_view text, const std::string& where);
/// Throws CompileError for a file that cannot be read, too.
[[nodiscard]] std::vector<std::string> read_labels(const std::filesystem::path& file);

}  // namespace thimble
