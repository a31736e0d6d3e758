// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <random>

#include "thimble/cli/commands.h"
#include "thimble/cli/options.h"
#include "thimble/model/error.h"
#include "thimble/toolchain/serve_remote.h"

namespace thimble {
namespace {

struct RemoteOptions {
  std::string line, size = "1M";
  int baud = 115200;
  bool verbose = false;
};

// A store that is started anew has to number its sessions otherwise.
uint64_t fresh_seed() {
  std::random_device random;
  return uint64_t{random()} << 32 | random();
}

std::string counts_text(const RemoteCounts& counts) {
  return fmt::format(
      "remote: {} sessions; written {} B in {} frames, read {} B in {}, erased {} B\n"
      "remote: {} damaged frames, {} repeated, {} after a gap, {} reads of what is not there, {} "
      "refused\n",
      counts.sessions, counts.written_bytes, counts.writes, counts.read_bytes, counts.reads,
      counts.erased_bytes, counts.damaged, counts.repeated, counts.gaps, counts.gone,
      counts.refused);
}

int serve(const RemoteOptions& options) {
  const int64_t size = size_option("--size", options.size);
  if (size <= 0 || size > std::numeric_limits<uint32_t>::max())
    throw CompileError("--size", "must be from 1 to 4294967295 bytes: offsets have 32 bits");
  const SerialDevice line(options.line, options.baud);
  RemoteStore store(static_cast<uint32_t>(size), fresh_seed());
  serve_remote(store, line.input(), line.output());
  if (options.verbose) std::fputs(counts_text(store.counts()).c_str(), stderr);
  return kDone;
}

}  // namespace

void add_remote(CLI::App& app, int& status) {
  auto options = std::make_shared<RemoteOptions>();
  CLI::App* command = app.add_subcommand(
      "remote", "Store what a board spills over a serial line, until the line is closed");
  add_text(*command, "LINE", options->line, "",
           "A serial port, tcp:HOST:PORT, listen:PORT (on this machine), a socket, or - for "
           "standard input and output")
      ->required();
  add_text(*command, "--size", options->size, "SIZE", "Bytes that can be stored; 1M");
  command->add_option("--baud", options->baud, "Speed of a serial port; 115200")->type_name("BAUD");
  command->add_flag("--verbose", options->verbose, "Counts at the end, on standard error");
  command->footer(
      "Examples:\n"
      "  thimble remote /dev/ttyACM0 --baud 921600\n"
      "  thimble remote listen:4444 --size 256K   (and QEMU's -serial tcp:localhost:4444)");
  command->callback([options, &status] { status = serve(*options); });
}

}  // namespace thimble
