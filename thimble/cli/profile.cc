// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "thimble/cli/answers.h"
#include "thimble/cli/board_code.h"
#include "thimble/cli/commands.h"
#include "thimble/driver/board_profile.h"

namespace thimble {
namespace {

int run_profile(const BoardCodeOptions& options, const std::string& fit) {
  check_outputs({{"MODEL", options.request.model}, {"LOG", options.log}},
                {{{"--fit", fit}, FileKind::kCycles},
                 {{"--json", options.json.path}, FileKind::kReport, "profile"}},
                options.force);
  const BoardCode board = board_code(options);
  ProfileReport report = board_profile(board.compiled, board.log, options.log);
  report.model = options.request.model;
  report.log = options.log;
  report.code = options.code;
  report.code_fault = board.code_fault;
  report.fit_file = fit;
  if (!fit.empty()) write_text(fit, fit_json(report));
  write_report(options.json, board.compiled.sha256, profile_json(report));
  print_beside(options.json, profile_text(report));
  return kDone;
}

}  // namespace

void add_profile(CLI::App& app, int& status) {
  auto options = std::make_shared<BoardCodeOptions>();
  CLI::App* command = app.add_subcommand(
      "profile", "Cycles of each layer as a board measured them, beside estimates, from its log");
  add_board_code_options(*command, *options);
  auto fit = std::make_shared<std::string>();
  add_text(*command, "--fit", *fit, "FILE",
           "Write what estimated instructions took there, kernel by kernel: compile --latency FILE "
           "chooses by it");
  command->footer(
      "Example:\n"
      "  thimble compile model.tflite --device nucleo-f446re -o firmware/model\n"
      "  (build it with THIMBLE_HOOKS defined; call NAME_profile(0), NAME_run and\n"
      "  NAME_print_profile(print); keep the serial line in board.log)\n"
      "  thimble profile model.tflite board.log --code firmware/model --fit board.json\n"
      "  thimble compile model.tflite --device nucleo-f446re --latency board.json -o "
      "firmware/model2");
  command->callback([options, fit, &status] { status = run_profile(*options, *fit); });
}

}  // namespace thimble
