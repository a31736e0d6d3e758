// SPDX-License-Identifier: Apache-2.0
#include "bench/jobs.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <exception>
#include <map>

#include "thimble/model/error.h"

namespace thimble {
namespace {

struct Running {
  size_t job = 0;
  int pipe = -1;  ///< the end that is read here
};

void write_all(int to, const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(to, text.data() + at, text.size() - at);
    if (written <= 0) return;
    at += static_cast<size_t>(written);
  }
}

std::string read_all(int from) {
  std::string text;
  std::array<char, 4096> bytes{};
  for (ssize_t n = 0; (n = ::read(from, bytes.data(), bytes.size())) > 0;)
    text.append(bytes.data(), static_cast<size_t>(n));
  return text;
}

[[noreturn]] void run(const std::function<std::string()>& job, int cpu_seconds, int to) {
  const auto seconds = static_cast<rlim_t>(cpu_seconds);
  const rlimit limit{seconds, seconds + 1};
  setrlimit(RLIMIT_CPU, &limit);
  int status = 0;
  try {
    write_all(to, job());
  } catch (const std::exception& error) {
    write_all(to, error.what());
    status = 1;
  }
  _exit(status);
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

JobResult result_of(int status, const rusage& used, std::string text, int cpu_seconds) {
  JobResult result{.text = std::move(text),
                   .done = WIFEXITED(status) && WEXITSTATUS(status) == 0,
                   .cpu_seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime),
                   .peak_memory_mib = used.ru_maxrss / 1024};
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    result.text = signal == SIGXCPU ? fmt::format("skipped: takes more than {} s", cpu_seconds)
                                    : fmt::format("ended by signal {}", signal);
  }
  return result;
}

}  // namespace

void run_jobs(const std::vector<std::function<std::string()>>& jobs, const JobLimits& limits,
              const std::function<void(size_t job, const JobResult&)>& finished) {
  std::map<pid_t, Running> running;
  size_t next = 0;
  while (next < jobs.size() || !running.empty()) {
    if (next < jobs.size() && running.size() < static_cast<size_t>(limits.parallel)) {
      std::array<int, 2> ends{};
      check(::pipe(ends.data()) == 0, "no pipe for a job");
      std::fflush(nullptr);
      const pid_t child = fork();
      check(child >= 0, "no process for a job");
      if (child == 0) run(jobs[next], limits.cpu_seconds, ends[1]);
      ::close(ends[1]);
      running[child] = {next++, ends[0]};
      continue;
    }
    int status = 0;
    rusage used = {};
    const pid_t child = wait4(-1, &status, 0, &used);
    const auto it = running.find(child);
    check(it != running.end(), "a process that is no job ended");
    // Texts are short: a pipe holds them, so that no job waits for its reader.
    const std::string text = read_all(it->second.pipe);
    ::close(it->second.pipe);
    const size_t job = it->second.job;
    running.erase(it);
    finished(job, result_of(status, used, text, limits.cpu_seconds));
  }
}

}  // namespace thimble
