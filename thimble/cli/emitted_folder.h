// SPDX-License-Identifier: Apache-2.0
// Emitted files on disk: all of them or none.
#pragma once

#include <filesystem>
#include <vector>

#include "thimble/emit/emit.h"

namespace thimble {

/// Files in a temporary folder beside their target until commit() moves them there. Without it, or
/// on failure (no permission, disk full: CompileError says why), nothing is left behind and the
/// target is as it was.
class StagedFolder {
 public:
  /// Makes the folders above `target` if they do not exist.
  StagedFolder(const std::filesystem::path& target, const std::vector<EmittedFile>& files);
  ~StagedFolder();
  StagedFolder(const StagedFolder&) = delete;
  StagedFolder& operator=(const StagedFolder&) = delete;

  /// Into a new folder, or an existing one, whose other files stay.
  void commit();

 private:
  void stage();
  void remove();

  std::filesystem::path asked_;  ///< as the user wrote it
  std::filesystem::path target_;
  const std::vector<EmittedFile>& files_;
  std::filesystem::path staging_;  ///< empty once it has its place
  std::filesystem::path made_;     ///< the topmost of the folders made above it; empty if none
};

/// Both at once.
void write_folder(const std::filesystem::path& target, const std::vector<EmittedFile>& files);

}  // namespace thimble
