// SPDX-License-Identifier: Apache-2.0
#include "thimble/devices/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include "thimble/model/error.h"

namespace thimble {

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error) throw CompileError("TMPDIR", "is not a folder: " + error.message());
  std::string name = (parent / "thimble-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw CompileError(parent.string(),
                       std::string("cannot hold temporary files: ") + std::strerror(errno));
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // what is left behind is the system's to clean
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace thimble
