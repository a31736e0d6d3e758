// SPDX-License-Identifier: Apache-2.0
#include "thimble/toolchain/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

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

constexpr double kCpuPerSecond = 4;  // of a program with several threads

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

// What the child does before it becomes the program. Async-signal-safe: other threads may hold any
// lock. Returns only if that failed.
void become(const Command& command, pid_t parent, const Pipe& out, const Pipe& err,
            char* const* arguments) {
  setpgid(0, 0);  // a group of its own for it and those that it starts: they end together
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // whatever ends us
  if (getppid() != parent) _exit(1);
#endif
  // Should we be stopped, or elsewhere than on Linux killed, nobody looks at the clock.
  const auto most = static_cast<rlim_t>(kCpuPerSecond * command.timeout_seconds + 1);
  const struct rlimit cpu = {most, most};
  setrlimit(RLIMIT_CPU, &cpu);
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0) return;
  if (dup2(out.write_end(), STDOUT_FILENO) < 0 || dup2(err.write_end(), STDERR_FILENO) < 0) return;
  const char* folder = command.working_folder.c_str();
  if (*folder != '\0' && chdir(folder) != 0) return;
  execvp(arguments[0], arguments);
}

pid_t spawn(const Command& command, const Pipe& out, const Pipe& err) {
  std::vector<std::string> arguments = command.arguments;
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  Pipe failed;  // the errno, or its end where the program has begun
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    become(command, parent, out, err, pointers.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t told = write(failed.write_end(), &error, sizeof error);
    _exit(127);
  }
  int error = pid < 0 ? errno : 0;
  failed.close_write();
  while (pid > 0 && read(failed.read_end(), &error, sizeof error) < 0 && errno == EINTR) {
  }
  if (error == 0) return pid;
  if (pid > 0) waitpid(pid, nullptr, 0);
  throw CompileError(command.arguments[0],
                     fmt::format("cannot be started: {}", std::strerror(error)));
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
