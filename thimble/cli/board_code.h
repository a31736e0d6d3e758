// SPDX-License-Identifier: Apache-2.0
// The log of a board and the code that runs there: what `diagnose` and `profile` are given.
#pragma once

#include <string>

#include "thimble/cli/options.h"
#include "thimble/driver/compiled.h"
#include "thimble/import/board_log.h"

namespace thimble {

struct BoardCodeOptions {
  RequestOptions request;
  std::string log, code;
  ReportFile json;
  bool force = false;
};

void add_board_code_options(CLI::App& app, BoardCodeOptions& options);

struct BoardCode {
  Compiled compiled;  ///< from the folder's plan, which is right
  BoardLog log;
  std::string code_fault;  ///< what in the folder is not as it was written; empty: nothing
};
/// Throws CompileError if the folder has no code of the model, or the log cannot be read.
[[nodiscard]] BoardCode board_code(const BoardCodeOptions& options);

}  // namespace thimble
