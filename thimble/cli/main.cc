// SPDX-License-Identifier: Apache-2.0
// thimble: fits neural networks into microcontroller memory.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string_view>
#include <system_error>

#include "thimble/cli/commands.h"
#include "thimble/cli/commit.h"
#include "thimble/cli/nearest_option.h"
#include "thimble/cli/terminal.h"
#include "thimble/import/temporary.h"
#include "thimble/model/error.h"

namespace {

using namespace thimble;

// Without fmt, which throws where standard error cannot be written. A process that a signal is
// ending says nothing here: what it misses is what was removed behind its back. Where nobody reads
// standard error the status says it all; SIGPIPE would stop this thread, which holds the lock.
void complain(const std::string& text) {
  const Uninterrupted ended;
  ignore_closed_pipes();
  std::fputs(("thimble: " + text + "\n").c_str(), stderr);
}

void check_output() {
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout.good()) {
    throw CompileError("standard output", "cannot be written; the results are incomplete");
  }
}

// CLI11 says only that some subcommand is required.
void check_subcommand(const CLI::App& app, std::string_view first) {
  if (first.empty() || first.front() == '-') return;
  std::string known;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == first) return;
    known += (known.empty() ? "" : ", ") + command->get_name();
  }
  throw CompileError(fmt::format("'{}'", first),
                     fmt::format("is no subcommand; there are {} (see `thimble --help`)", known));
}

/// The option that the first unknown argument may mean; CLI11 says only that it is not expected.
std::string meant_option(const CLI::App& app) {
  const std::vector<CLI::App*> commands = app.get_subcommands();
  const std::vector<std::string> extras = app.remaining(true);
  if (commands.empty() || extras.empty() || !extras.front().starts_with("--")) return "";
  std::vector<std::string> names;
  for (const CLI::Option* option : commands.front()->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  const std::string typed = extras.front().substr(2, extras.front().find('=') - 2);
  const std::string nearest = nearest_name(typed, names);
  return nearest.empty() ? "" : fmt::format("thimble: is --{} meant?\n", nearest);
}

int run(int argc, char** argv) {
  CLI::App app{
      "Fits neural networks into microcontroller memory: reads a trained model, finds an "
      "execution\n"
      "within the chip's SRAM and flash, proves it correct, and writes the firmware sources.",
      "thimble"};
  app.set_version_flag("--version",
                       fmt::format("thimble {} (commit {})", THIMBLE_VERSION, commit()));
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  thimble inspect model.tflite\n"
      "  thimble compile model.tflite --device nucleo-f446re -o firmware/model\n"
      "  thimble run model.tflite --on qemu --core cortex-m4\n"
      "  thimble run zoo:demo --on host --seed 7\n"
      "  thimble compare --zoo --sram 256K\n"
      "\nExit status: 0 done (and fits), 1 fault of the input or the command line, 2 does not "
      "fit,\n"
      "3 internal error, 4 a check or a verification found a difference.");
  int status = kDone;
  add_inspect(app, status);
  add_compile(app, status);
  add_run(app, status);
  add_eval(app, status);
  add_verify(app, status);
  add_diagnose(app, status);
  add_profile(app, status);
  add_plan(app, status);
  add_compare(app, status);
  add_export(app, status);
  add_quantize(app, status);
  add_simulate(app, status);
  add_layout(app, status);
  add_remote(app, status);
  add_zoo(app, status);
  add_lists(app, status);
  add_manual(app, status);
  if (argc < 2) {
    std::fputs(app.help().c_str(), stderr);
    return kInputFault;
  }
  check_subcommand(app, argv[1]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
      std::fputs(meant_option(app).c_str(), stderr);
    status = app.exit(error) == 0 ? kDone : kInputFault;
  } catch (const std::system_error&) {  // from fmt::print
    if (std::ferror(stdout) == 0) throw;
  }
  check_output();
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_streams();
  clean_up_when_interrupted();
  try {
    return run(argc, argv);
  } catch (const CompileError& error) {
    complain(error.what());
    return kInputFault;
  } catch (const std::bad_alloc&) {
    complain("out of memory");
    return kInputFault;
  } catch (const std::exception& error) {
    complain(fmt::format(
        "internal error: {}\nThis is a bug in thimble; please report it with the command.",
        error.what()));
    return kInternalFault;
  }
}
