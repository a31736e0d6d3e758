// SPDX-License-Identifier: Apache-2.0
// Files of a folder or of an archive, with what is in them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble::training {

struct NamedFile {
  std::string name;  ///< its path in the folder or archive
  Bytes bytes;       ///< of an archive's; of a folder's they are read later
};

/// Sorted by name. path: a folder, or a .tar that may be compressed. Throws CompileError for what
/// is neither, or damaged.
[[nodiscard]] std::vector<NamedFile> named_files(const std::filesystem::path& path);
/// The bytes of one of them.
[[nodiscard]] Bytes content(const std::filesystem::path& path, const NamedFile& file);

}  // namespace thimble::training
