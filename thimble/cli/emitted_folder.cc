// SPDX-License-Identifier: Apache-2.0
#include "thimble/cli/emitted_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "thimble/import/file_bytes.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

namespace fs = std::filesystem;

// Removed when it goes out of scope.
class Staging {
 public:
  explicit Staging(const fs::path& folder) {
    std::string pattern =
        (folder.parent_path() / (folder.filename().string() + ".thimble-XXXXXX")).string();
    if (mkdtemp(pattern.data()) == nullptr) {
      throw CompileError(folder.string(), fmt::format("cannot write beside it: {}",
                                                      std::generic_category().message(errno)));
    }
    path_ = pattern;
  }
  ~Staging() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

void write_folder(const fs::path& target, const std::vector<EmittedFile>& files) {
  fs::path folder = fs::absolute(target).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  try {
    if (fs::exists(folder) && !fs::is_directory(folder)) {
      throw CompileError(target.string(),
                         "exists and is no folder; give -o a new or an existing folder");
    }
    const Staging staging(folder);
    for (const EmittedFile& file : files) {
      fs::create_directories((staging.path() / file.path).parent_path());
      const std::array<std::string_view, 1> text{file.text};
      write_file(staging.path() / file.path, text);
    }
    fs::permissions(staging.path(), fs::perms::owner_all | fs::perms::group_read |
                                        fs::perms::group_exec | fs::perms::others_read |
                                        fs::perms::others_exec);
    if (!fs::exists(folder)) {
      fs::rename(staging.path(), folder);
      return;
    }
    for (const EmittedFile& file : files) {
      fs::create_directories((folder / file.path).parent_path());
      fs::rename(staging.path() / file.path, folder / file.path);
    }
  } catch (const fs::filesystem_error& error) {
    throw CompileError(target.string(),
                       fmt::format("cannot be written: {}", error.code().message()));
  }
}

}  // namespace thimble
