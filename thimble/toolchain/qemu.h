// SPDX-License-Identifier: Apache-2.0
// Running models on an emulated board: outputs, instructions, peak stack, and whether each kept to
// its arena.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "thimble/model/graph.h"
#include "thimble/toolchain/cross_build.h"
#include "thimble/toolchain/remote_store.h"

namespace thimble {

/// One inference of one model.
struct EmulatedRun {
  std::string name;           ///< as in the table
  int64_t instructions = 0;   ///< of the model's function, its return included; up to 4 off
  int64_t stack_bytes = 0;    ///< the deepest that it used, the harness' own frame excluded
  std::string guards;         ///< "intact"; else which zone beside the arena was written: "before",
                              ///< "after", "both"; likewise beside tensors outside of it
  bool inputs_intact = true;  ///< those outside of the arena
  std::vector<Bytes> outputs;

  [[nodiscard]] bool guards_intact() const { return guards == "intact"; }
};

struct Measured {
  std::string machine;  ///< the emulated board, by QEMU's name
  FirmwareSize size;
  std::vector<LinkedSection> sections;         ///< of the models and what they need
  std::vector<std::vector<EmulatedRun>> sets;  ///< [input set][model]
  std::string plugin_output;                   ///< what the plugin wrote
  std::optional<RemoteCounts> remote;          ///< what a host served, if there was one
};

struct EmulationOptions {
  double timeout_seconds = 600;
  /// Per input set: the arena, and variables in it, are as the set before left them; of those that
  /// it does not say, and of others, the variables are reset. Of firmware with one model.
  std::vector<bool> goes_on;
  /// What the board's first UART is joined to, as QEMU's option -serial has it: "unix:PATH".
  std::string serial = "null";
  /// The least of a card in the board's slot, a new one; 0: there is none.
  int64_t card_bytes = 0;
  /// What it begins with, zeros behind that.
  std::string card_image;
  /// Files that the firmware may open: name and bytes.
  std::vector<std::pair<std::string, std::string>> files;
  std::string plugin;  ///< of QEMU, a shared object that writes to the file of its option `out`
};

/// The bytes of each input of each model: [model][input].
using InputSet = std::vector<std::vector<Bytes>>;

/// Builds the firmware and runs all of its models on each input set. Every model runs in an arena
/// of exactly its bytes, aligned as it asks and no better, poisoned, between guard zones.
/// Throws CompileError if QEMU or the compiler is not installed, no board emulates the
/// core or has the memory, or the time is over, InternalError
/// if a model faults or the inputs do not match the table.
[[nodiscard]] Measured run_on_qemu(const CrossBuild& build, const std::vector<InputSet>& sets,
                                   const EmulationOptions& options = {});

}  // namespace thimble
