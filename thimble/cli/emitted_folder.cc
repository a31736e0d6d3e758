// SPDX-License-Identifier: Apache-2.0
#include "thimble/cli/emitted_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "thimble/import/file_bytes.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& target, const std::string& reason) {
  throw CompileError(target.string(), fmt::format("the folder cannot be written: {}", reason));
}

// The topmost folder that creating `folder` will make; empty if it exists.
fs::path first_missing(fs::path folder) {
  fs::path missing;
  std::error_code error;
  for (; !folder.empty() && !fs::exists(folder, error) && !error; folder = folder.parent_path())
    missing = folder;
  return missing;
}

}  // namespace

StagedFolder::StagedFolder(const fs::path& target, const std::vector<EmittedFile>& files)
    : asked_(target), target_(fs::absolute(target).lexically_normal()), files_(files) {
  if (!target_.has_filename()) target_ = target_.parent_path();
  try {
    stage();
  } catch (const fs::filesystem_error& error) {
    remove();
    fail(target, error.code().message());
  } catch (...) {
    remove();
    throw;
  }
}

void StagedFolder::stage() {
  if (fs::exists(target_) && !fs::is_directory(target_)) {
    throw CompileError(asked_.string(),
                       "exists and is no folder; give -o a new or an existing folder");
  }
  made_ = first_missing(target_.parent_path());
  fs::create_directories(target_.parent_path());
  std::string pattern = target_.string() + ".thimble-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) fail(asked_, std::generic_category().message(errno));
  staging_ = pattern;
  for (const EmittedFile& file : files_) {
    fs::create_directories((staging_ / file.path).parent_path());
    const std::array<std::string_view, 1> text{file.text};
    write_file(staging_ / file.path, text);
  }
  fs::permissions(staging_, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                                fs::perms::others_read | fs::perms::others_exec);
}

void StagedFolder::remove() {
  std::error_code ignored;
  if (!staging_.empty()) fs::remove_all(staging_, ignored);
  if (!made_.empty()) fs::remove_all(made_, ignored);
}

StagedFolder::~StagedFolder() { remove(); }

void StagedFolder::commit() {
  try {
    if (fs::exists(target_)) {
      for (const EmittedFile& file : files_) {
        fs::create_directories((target_ / file.path).parent_path());
        fs::rename(staging_ / file.path, target_ / file.path);
      }
    } else {
      fs::rename(staging_, target_);
      staging_.clear();
    }
    made_.clear();
  } catch (const fs::filesystem_error& error) {
    fail(asked_, error.code().message());
  }
}

void write_folder(const fs::path& target, const std::vector<EmittedFile>& files) {
  StagedFolder(target, files).commit();
}

}  // namespace thimble
