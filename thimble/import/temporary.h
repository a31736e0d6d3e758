// SPDX-License-Identifier: Apache-2.0
// Temporary files and folders, which are gone when the process ends: at the end of their scope,
// after an error, and after a signal that ends it (SIGINT, SIGTERM, SIGHUP, SIGPIPE).
#pragma once

#include <filesystem>
#include <mutex>

namespace thimble {

/// A file or a folder with all it holds. Its name is short, hidden (".thimble-" and ten letters)
/// and cannot be foreseen; nothing that exists is opened or followed.
class Temporary {
 public:
  enum class Kind { kFile, kFolder };
  /// Makes it in `parent`, which must exist: "" is the current folder. A file is empty and has the
  /// mode that the umask gives. Throws std::filesystem::filesystem_error.
  Temporary(Kind kind, const std::filesystem::path& parent);
  /// Makes this very folder, unless it exists, and removes it only if it is empty: others may have
  /// put something there.
  explicit Temporary(const std::filesystem::path& folder);
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// The file stays: it has its place now.
  void keep();

 private:
  std::filesystem::path path_;
  bool removes_content_ = true;
};

/// While one exists, a signal that would end the process waits: what is begun is completed.
class Uninterrupted {
 public:
  Uninterrupted();

 private:
  std::unique_lock<std::recursive_timed_mutex> lock_;
};

/// A child process, the leader of a group of its own, which a signal ends as well while this
/// exists.
class InterruptedChild {
 public:
  explicit InterruptedChild(int process);
  ~InterruptedChild();
  InterruptedChild(const InterruptedChild&) = delete;
  InterruptedChild& operator=(const InterruptedChild&) = delete;

 private:
  int process_;
};

/// Called once by main(): from now on such a signal kills children, removes what is temporary, says
/// so on standard error, and ends the process as the signal does (status 128 + signal for a shell).
/// Signals that the caller ignores stay ignored. A file that grows beyond the limit of its size
/// (ulimit -f) is an error of that write, as a full disk is.
void clean_up_when_interrupted();

}  // namespace thimble
