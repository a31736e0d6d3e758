// SPDX-License-Identifier: Apache-2.0
// Compile time (of one core, whatever else the machine does) and peak memory, each network in a
// process of its own, against the number of operators, as CSV: scale_bench >
// bench/results/scale.csv
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "tests/support/large_network.h"
#include "thimble/driver/driver.h"

namespace {

using namespace thimble;

/// Everything that `thimble compile -o` does, but for reading the model and writing the files.
void compile(testing::Form form, int ops) {
  const Source source{testing::large_network(form, ops), testing::name(form), std::string(64, '0')};
  (void)thimble::compile({.model = source, .emission = Emission{.command = "scale_bench"}});
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

void print_row(testing::Form form, int ops) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      compile(form, ops);
      _exit(0);
    } catch (const std::exception& error) {
      fmt::print(stderr, "scale_bench: {}\n", error.what());
      _exit(1);
    }
  }
  int status = 0;
  struct rusage used = {};
  if (child < 0 || wait4(child, &status, 0, &used) != child || status != 0) std::exit(1);
  const double seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  fmt::print("{},{},{:.2f},{}\n", testing::name(form), ops, seconds, used.ru_maxrss / 1024);
  std::fflush(stdout);
}

}  // namespace

int main() {
  fmt::print(
      "# scale_bench > bench/results/scale.csv (default planner)\n"
      "form,ops,cpu_seconds,peak_memory_mib\n");
  std::fflush(stdout);
  for (const auto form :
       {testing::Form::kChain, testing::Form::kWide, testing::Form::kManyOutputs}) {
    for (const int ops : {100, 300, 1000, 3000, 10'000}) print_row(form, ops);
  }
}
