// SPDX-License-Identifier: Apache-2.0
// A folder of one's own that is removed with all it holds.
#pragma once

#include <filesystem>

namespace thimble {

class TemporaryFolder {
 public:
  /// Below the system's folder for temporary files. Throws CompileError if it cannot be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace thimble
