// SPDX-License-Identifier: Apache-2.0
// Windows has no locks of folders.
#include "thimble/output/folder_lock.h"

namespace thimble {

FolderLock::FolderLock(const std::filesystem::path& /*folder*/) {}
FolderLock::~FolderLock() = default;

}  // namespace thimble
