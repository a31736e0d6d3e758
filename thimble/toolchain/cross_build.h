// SPDX-License-Identifier: Apache-2.0
// Cross-compiling a model's sources into a firmware for an emulated board, and its sizes.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace thimble {

/// Sources by what they count as. All are compiled as what ships: freestanding C++17, -O2, warnings
/// are errors.
struct CrossBuild {
  std::vector<std::filesystem::path> sources;         ///< the models' code and the runtime's: code
  std::vector<std::filesystem::path> weight_sources;  ///< their read-only data: weights
  std::vector<std::filesystem::path>
      table_sources;  ///< define thimble_models ("harness.h"): not counted
  std::vector<std::filesystem::path> include_folders;
  std::string core = "cortex-m4";
};

/// Of what the linker kept. Start-up code, semihosting, harness and table are left out; what
/// models need from the compiler's libraries (memcpy, 64-bit division) is in.
struct FirmwareSize {
  int64_t code_bytes = 0;    ///< flash for all but the weights: instructions and constants
  int64_t weight_bytes = 0;  ///< read-only data of weight_sources
  int64_t static_ram_bytes = 0;
  bool operator==(const FirmwareSize&) const = default;
};

/// An emulated board.
struct Board {
  const char* core;
  const char* machine;                   ///< QEMU's name, and the folder in firmware/
  std::array<const char*, 3> flags;      ///< of the compiler
  int64_t weights_in_code_memory_bytes;  ///< above that weights go to PSRAM
};
/// Throws CompileError, listing the cores that can be emulated.
[[nodiscard]] Board board_for(const std::string& core);

/// Compiles and links `folder`/firmware.elf; everything is written below `folder`. Throws
/// CompileError if the compiler is not installed or the board's memory is too small, InternalError
/// if sources do not compile.
[[nodiscard]] FirmwareSize build_firmware(const CrossBuild& build,
                                          const std::filesystem::path& folder);

/// The same for the sizes alone.
[[nodiscard]] FirmwareSize measure_firmware(const CrossBuild& build);

}  // namespace thimble
