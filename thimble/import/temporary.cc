// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/temporary.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <system_error>
#include <thread>

namespace thimble {
namespace {

namespace fs = std::filesystem;

// What a signal has to undo. Process-wide because signals are. Never destroyed: the thread below
// may need it while the process exits.
struct Registry {
  std::recursive_timed_mutex mutex;
  std::map<fs::path, bool> paths;  // true: with all that it holds
  std::set<pid_t> children;
};

Registry& registry() {
  static auto* const registry = new Registry;
  return *registry;
}

int pipe_of_signals[2] = {-1, -1};

std::string random_letters() {
  constexpr const char* kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;
  std::string letters;
  for (int k = 0; k < 10; ++k) letters += kLetters[random() % std::strlen(kLetters)];
  return letters;
}

// 0, or the errno.
int make(Temporary::Kind kind, const fs::path& path) {
  if (kind == Temporary::Kind::kFolder) return mkdir(path.c_str(), 0700) == 0 ? 0 : errno;
  const int descriptor =
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor < 0) return errno;
  return close(descriptor) == 0 ? 0 : errno;
}

// Async-signal-safe. The thread does the rest.
void report_signal(int signal) {
  const int kept = errno;
  const auto byte = static_cast<unsigned char>(signal);
  [[maybe_unused]] const ssize_t written = write(pipe_of_signals[1], &byte, 1);
  // Whoever wrote into the closed pipe would go on and report that as an error.
  if (signal == SIGPIPE) {
    for (;;) pause();
  }
  errno = kept;
}

void say(const std::string& text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

// What a folder holds comes after it in the map, and goes before it.
void remove_temporaries() {
  const auto& paths = registry().paths;
  for (auto it = paths.rbegin(); it != paths.rend(); ++it) {
    std::error_code error;
    if (!it->second) {
      fs::remove(it->first, error);
      continue;
    }
    // Another thread may be writing there still, though not for long: all that is temporary is made
    // under the lock.
    for (int attempt = 0; attempt < 100; ++attempt) {
      fs::remove_all(it->first, error);
      if (!error) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
}

// Compilers remove temporary files of their own if they are asked to end.
void end_children() {
  const auto& children = registry().children;
  const auto is_running = [](pid_t child) {
    siginfo_t info{};
    const int seen = waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
    return seen == 0 && info.si_pid == 0;
  };
  for (pid_t child : children) {
    if (is_running(child)) kill(-child, SIGTERM);
  }
  for (int wait = 0; wait < 100 && std::ranges::any_of(children, is_running); ++wait)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  for (pid_t child : children) {
    if (is_running(child)) kill(-child, SIGKILL);
  }
}

const char* description(int signal) {
  switch (signal) {
    case SIGINT:
      return "interrupted";
    case SIGTERM:
      return "terminated";
    default:
      return "hung up";
  }
}

// Whatever waits: the reader of a pipe that another thread writes to may never read on.
[[noreturn]] void end_with(int signal) {
  std::signal(SIGPIPE, SIG_IGN);  // nobody may read what is said below
  // Never unlocked: nothing begins any more. Who holds it for so long is stopped itself.
  (void)registry().mutex.try_lock_for(std::chrono::seconds(2));
  end_children();
  remove_temporaries();
  if (signal != SIGPIPE)
    say(std::string(isatty(STDERR_FILENO) != 0 ? "\n" : "") + "thimble: " + description(signal) +
        "; nothing unfinished is left behind\n");
  std::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  kill(getpid(), signal);
  for (;;) pause();
}

void wait_for_signal() {
  unsigned char signal = 0;
  while (read(pipe_of_signals[0], &signal, 1) != 1) {
    if (errno != EINTR) return;
  }
  end_with(signal);
}

}  // namespace

Temporary::Temporary(Kind kind, const fs::path& parent) {
  const Uninterrupted made_and_known;
  for (int attempt = 0;; ++attempt) {
    path_ = parent / (".thimble-" + random_letters());
    const int error = make(kind, path_);
    if (error == 0) break;
    if (error != EEXIST || attempt == 100) {
      throw fs::filesystem_error("temporary", path_,
                                 std::error_code(error, std::generic_category()));
    }
  }
  path_ = fs::absolute(path_);
  registry().paths.emplace(path_, removes_content_);
}

Temporary::Temporary(const fs::path& folder) : removes_content_(false) {
  const Uninterrupted made_and_known;
  if (!fs::create_directory(folder)) return;
  path_ = fs::absolute(folder);
  registry().paths.emplace(path_, removes_content_);
}

Temporary::~Temporary() {
  if (path_.empty()) return;
  const Uninterrupted removed_and_forgotten;
  std::error_code ignored;  // what cannot be removed stays
  if (removes_content_) {
    fs::remove_all(path_, ignored);
  } else {
    fs::remove(path_, ignored);
  }
  registry().paths.erase(path_);
}

void Temporary::keep() {
  const Uninterrupted forgotten;
  registry().paths.erase(path_);
  path_.clear();
}

Uninterrupted::Uninterrupted() : lock_(registry().mutex) {}

InterruptedChild::InterruptedChild(int process) : process_(process) {
  const Uninterrupted known;
  registry().children.insert(process);
}

InterruptedChild::~InterruptedChild() {
  const Uninterrupted forgotten;
  registry().children.erase(process_);
}

void clean_up_when_interrupted() {
  std::signal(SIGXFSZ, SIG_IGN);
  if (pipe2(pipe_of_signals, O_CLOEXEC) != 0) return;  // the signals end the process as ever
  std::thread(wait_for_signal).detach();
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = report_signal;
    // The second of a kind ends the process at once.
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace thimble
