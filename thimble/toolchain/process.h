// SPDX-License-Identifier: Apache-2.0
// Running other programs (compilers, emulators), without a shell between.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace thimble {

struct Command {
  std::vector<std::string> arguments;    ///< the program first; searched in PATH if it has no '/'
  std::filesystem::path working_folder;  ///< empty: the current one
  double timeout_seconds = 600;
};

struct ProcessResult {
  int exit_status = 0;  ///< 128 + signal if a signal ended it
  bool timed_out = false;
  std::string out, err;  ///< what it wrote on its standard output and error

  [[nodiscard]] bool succeeded() const { return exit_status == 0 && !timed_out; }
};

/// Runs a program to its end, or kills it when the time is over; it ends with us, too, however we
/// do (Linux; elsewhere after four times its time of the processor). Its standard input is empty.
/// Throws CompileError if it cannot be started.
[[nodiscard]] ProcessResult run_process(const Command& command);

/// Throws CompileError, naming the Debian package that has it, unless PATH has the program.
void require_program(const std::string& program, const std::string& package);

}  // namespace thimble
