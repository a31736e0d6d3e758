// SPDX-License-Identifier: Apache-2.0
// thimble: fits neural networks into microcontroller memory.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>

#include "thimble/cli/commands.h"
#include "thimble/model/error.h"

namespace {

int run(int argc, char** argv) {
  using namespace thimble;
  CLI::App app{
      "Fits neural networks into microcontroller memory: reads a trained int8 model, finds an "
      "execution\n"
      "within the chip's SRAM and flash, proves it correct, and writes the firmware sources.",
      "thimble"};
  app.set_version_flag("--version", std::string("thimble ") + THIMBLE_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  thimble inspect model.tflite\n"
      "  thimble compile model.tflite --device nucleo-f446re -o firmware/model\n"
      "  thimble run model.tflite --on qemu --core cortex-m4\n"
      "  thimble run zoo:demo --on host --seed 7\n"
      "\nExit status: 0 done (and fits), 1 fault of the input or the command line, 2 does not "
      "fit,\n"
      "3 internal error, 4 a check or a verification found a difference.");
  int status = kDone;
  add_inspect(app, status);
  add_compile(app, status);
  add_run(app, status);
  add_verify(app, status);
  add_lists(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kInputFault;
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw CompileError("standard output", "cannot be written; the results are incomplete");
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const thimble::CompileError& error) {
    fmt::print(stderr, "thimble: {}\n", error.what());
    return thimble::kInputFault;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "thimble: out of memory\n");
    return thimble::kInputFault;
  } catch (const std::exception& error) {
    fmt::print(stderr,
               "thimble: internal error: {}\nThis is a bug in thimble; please report it with the "
               "command.\n",
               error.what());
    return thimble::kInternalFault;
  }
}
