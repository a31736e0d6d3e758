// SPDX-License-Identifier: Apache-2.0
#include "thimble/toolchain/temporary_folder.h"

#include <system_error>

#include "thimble/model/error.h"

namespace thimble {

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error) throw CompileError("TMPDIR", "is not a folder: " + error.message());
  try {
    folder_.emplace(Temporary::Kind::kFolder, parent);
  } catch (const std::filesystem::filesystem_error& fault) {
    throw CompileError(parent.string(), "cannot hold temporary files: " + fault.code().message());
  }
}

}  // namespace thimble
