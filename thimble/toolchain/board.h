// SPDX-License-Identifier: Apache-2.0
// The boards that QEMU emulates, and the cores whose code they run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace thimble {

struct Emulator {
  std::string program = "qemu-system-arm";
  std::string package = "qemu-system-arm";  ///< of Debian, that has it
  std::vector<std::string> options = {};    ///< beside the machine
};

/// An emulated board.
struct Board {
  std::string machine;             ///< QEMU's name, and the folder in firmware/
  std::vector<std::string> cores;  ///< whose code it runs: its own, and those with less
  /// Above that weights go to external RAM.
  int64_t weights_in_code_memory_bytes = 0;
  Emulator emulator = {};
};

/// Boards that run the core's code, in order of preference: none if it cannot be emulated.
[[nodiscard]] std::vector<Board> boards_of(const std::string& core);

/// The cores with a board.
[[nodiscard]] std::vector<std::string> emulated_cores();

}  // namespace thimble
