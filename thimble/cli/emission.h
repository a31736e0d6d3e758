// SPDX-License-Identifier: Apache-2.0
// A compilation as emitted files.
#pragma once

#include <string>
#include <vector>

#include "thimble/cli/pipeline.h"
#include "thimble/emit/emit.h"

namespace thimble {

/// name: of the files and functions. command: for the banner. runtime: the version to copy.
[[nodiscard]] std::vector<EmittedFile> emit_compiled(
    const Compiled& compiled, const Source& source, const std::string& name,
    const std::string& command, std::span<const RuntimeFile> runtime = runtime_files());

}  // namespace thimble
