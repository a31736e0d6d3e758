// SPDX-License-Identifier: Apache-2.0
// A folder of one's own that is removed with all it holds.
#pragma once

#include <filesystem>
#include <optional>

#include "thimble/import/temporary.h"

namespace thimble {

class TemporaryFolder {
 public:
  /// Below the system's folder for temporary files. Throws CompileError if it cannot be made.
  TemporaryFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return folder_->path(); }

 private:
  std::optional<Temporary> folder_;
};

}  // namespace thimble
