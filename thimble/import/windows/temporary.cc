// SPDX-License-Identifier: Apache-2.0
// Temporary files on Windows. Ctrl-C leaves them behind, as nothing there waits for a process that
// it ends.
#include "thimble/import/temporary.h"

#include <random>
#include <string>
#include <system_error>

#include "thimble/import/file_bytes.h"

namespace thimble {
namespace {

namespace fs = std::filesystem;

std::recursive_timed_mutex& mutex() {
  static auto* const mutex = new std::recursive_timed_mutex;
  return *mutex;
}

std::string random_letters() {
  const std::string letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;
  std::string result;
  for (int k = 0; k < 10; ++k) result += letters[random() % letters.size()];
  return result;
}

}  // namespace

Temporary::Temporary(Kind kind, const fs::path& parent) {
  do {
    path_ = parent / (".thimble-" + random_letters());
  } while (fs::exists(path_));
  if (kind == Kind::kFolder) {
    fs::create_directory(path_);
  } else {
    write_new_file(path_, "");
  }
  path_ = fs::absolute(path_);
}

Temporary::Temporary(const fs::path& folder) : removes_content_(false) {
  if (fs::create_directory(folder)) path_ = fs::absolute(folder);
}

Temporary::~Temporary() {
  std::error_code ignored;  // what cannot be removed stays
  if (path_.empty()) return;
  if (removes_content_) {
    fs::remove_all(path_, ignored);
  } else {
    fs::remove(path_, ignored);
  }
}

void Temporary::keep() { path_.clear(); }

Uninterrupted::Uninterrupted() : lock_(mutex()) {}

void clean_up_when_interrupted() {}

}  // namespace thimble
