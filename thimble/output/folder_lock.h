// SPDX-License-Identifier: Apache-2.0
// One process at a time writes to a folder.
#pragma once

#include <filesystem>

namespace thimble {

/// While it exists, others that lock the same folder wait; on Windows they do not.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace thimble
