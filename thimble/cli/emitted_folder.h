// SPDX-License-Identifier: Apache-2.0
// Emitted files on disk: all of them or none.
#pragma once

#include <filesystem>
#include <vector>

#include "thimble/emit/emit.h"

namespace thimble {

/// Writes the files below `folder`, which is made if it does not exist. Everything is written to a
/// temporary folder beside it first; on failure (no permission, disk full) that is removed,
/// `folder` is as it was, and CompileError says why.
void write_folder(const std::filesystem::path& folder, const std::vector<EmittedFile>& files);

}  // namespace thimble
