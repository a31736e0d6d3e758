// SPDX-License-Identifier: Apache-2.0
// Whose the emitted files are. Those made of a model are the model's owner's; the runtime beside
// them is Thimble's, under its own licence.
#pragma once

#include <span>
#include <string>

#include "thimble/target/embedded_file.h"

namespace thimble {

/// The first lines of a file made of a model: an SPDX line and what it means, each between `begin`
/// and `end`.
[[nodiscard]] std::string licence_lines(const std::string& begin, const std::string& end = "");

/// The text of LICENSE, which goes with the runtime.
[[nodiscard]] std::span<const EmbeddedFile> licence_files();

}  // namespace thimble
