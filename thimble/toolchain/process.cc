// SPDX-License-Identifier: Apache-2.0
#include "thimble/toolchain/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>
#include <thread>

#include "thimble/import/temporary.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

using Clock = std::chrono::steady_clock;

class Pipe {
 public:
  // Close-on-exec, so that programs started at the same time by other threads do not hold it open.
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) {
      throw CompileError("pipe", fmt::format("cannot be made: {}", std::strerror(errno)));
    }
  }
  ~Pipe() {
    close_read();
    close_write();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] int read_end() const { return ends_[0]; }
  [[nodiscard]] int write_end() const { return ends_[1]; }
  void close_read() { close_end(0); }
  void close_write() { close_end(1); }

 private:
  void close_end(size_t end) {
    if (ends_[end] >= 0) close(ends_[end]);
    ends_[end] = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

// A group of its own for the process and those that it starts: they end together.
class SpawnAttributes {
 public:
  SpawnAttributes() {
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes_, 0);
  }
  ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  posix_spawnattr_t* get() { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

pid_t spawn(const Command& command, const Pipe& out, const Pipe& err) {
  SpawnActions actions;
  posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(actions.get(), out.write_end(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(actions.get(), err.write_end(), STDERR_FILENO);
  if (!command.working_folder.empty()) {
    posix_spawn_file_actions_addchdir_np(actions.get(), command.working_folder.c_str());
  }
  std::vector<std::string> arguments = command.arguments;
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  SpawnAttributes attributes;
  pid_t pid = 0;
  const int error =
      posix_spawnp(&pid, pointers[0], actions.get(), attributes.get(), pointers.data(), environ);
  if (error != 0) {
    throw CompileError(command.arguments[0],
                       fmt::format("cannot be started: {}", std::strerror(error)));
  }
  return pid;
}

// Reads what is there; false at the end of the stream.
bool drain(int descriptor, std::string& text) {
  std::array<char, 65536> chunk;
  const ssize_t count = read(descriptor, chunk.data(), chunk.size());
  if (count < 0) return errno == EINTR;
  text.append(chunk.data(), static_cast<size_t>(count));
  return count > 0;
}

// Collects both streams until they end; false when the time is over first.
bool collect(Pipe& out, Pipe& err, Clock::time_point deadline, ProcessResult& result) {
  std::array<pollfd, 2> waits{{{out.read_end(), POLLIN, 0}, {err.read_end(), POLLIN, 0}}};
  while (waits[0].fd >= 0 || waits[1].fd >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    const int ready = poll(waits.data(), waits.size(), static_cast<int>(std::min(left, 1000L)));
    if (ready <= 0) continue;
    if (waits[0].revents != 0 && !drain(waits[0].fd, result.out)) waits[0].fd = -1;
    if (waits[1].revents != 0 && !drain(waits[1].fd, result.err)) waits[1].fd = -1;
  }
  return true;
}

int decode(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

// Waits for a process that may have closed its streams and still run; false when the time is over.
bool wait_until(pid_t pid, Clock::time_point deadline, int& status) {
  for (;;) {
    const pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid) return true;
    if (ended < 0 && errno != EINTR) throw InternalError("waitpid lost a process");
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

ProcessResult run_process(const Command& command) {
  check(!command.arguments.empty(), "run_process needs a program");
  Pipe out, err;
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(command.timeout_seconds));
  // A signal that comes between would not find the process.
  std::optional<Uninterrupted> started_and_known{std::in_place};
  const pid_t pid = spawn(command, out, err);
  const InterruptedChild ends_with_us(pid);
  started_and_known.reset();
  out.close_write();
  err.close_write();
  ProcessResult result;
  int status = 0;
  if (!collect(out, err, deadline, result) || !wait_until(pid, deadline, status)) {
    result.timed_out = true;
    kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
  }
  result.exit_status = decode(status);
  return result;
}

void require_program(const std::string& program, const std::string& package) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + program;
    if (access(candidate.c_str(), X_OK) == 0) return;
  }
  throw CompileError(program,
                     package.empty()
                         ? "is not installed, and no package of Debian has it: its vendor does"
                         : fmt::format("is not installed; it is in the Debian package {0} (apt-get "
                                       "install {0})",
                                       package));
}

}  // namespace thimble
