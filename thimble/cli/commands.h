// SPDX-License-Identifier: Apache-2.0
// One function per subcommand: adds it to the command line. The status that it wants to exit with
// goes to `status` when it runs.
#pragma once

// A declaration: CLI11 takes seconds to compile in each file that includes it.
namespace CLI {
class App;
}

namespace thimble {

/// What a process reports to its caller.
enum ExitStatus : int {
  kDone = 0,
  kInputFault = 1,
  kDoesNotFit = 2,
  kInternalFault = 3,
  kDifference = 4,  ///< a check or a verification found one
};

void add_inspect(CLI::App& app, int& status);
void add_compile(CLI::App& app, int& status);
void add_compare(CLI::App& app, int& status);
void add_eval(CLI::App& app, int& status);
void add_export(CLI::App& app, int& status);
void add_quantize(CLI::App& app, int& status);
void add_run(CLI::App& app, int& status);
void add_verify(CLI::App& app, int& status);
void add_diagnose(CLI::App& app, int& status);
void add_profile(CLI::App& app, int& status);
void add_plan(CLI::App& app, int& status);
void add_simulate(CLI::App& app, int& status);
void add_layout(CLI::App& app, int& status);
void add_remote(CLI::App& app, int& status);
void add_zoo(CLI::App& app, int& status);
/// devices, planners, ops
void add_lists(CLI::App& app, int& status);
/// manual, completion: of all commands that were added
void add_manual(CLI::App& app, int& status);

}  // namespace thimble
