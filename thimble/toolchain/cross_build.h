// SPDX-License-Identifier: Apache-2.0
// Cross-compiling a model's sources into a firmware, and its sizes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "thimble/toolchain/board.h"
#include "thimble/toolchain/link_map.h"

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
  /// RAM that the most demanding of the models takes: its arena, and tensors outside of it.
  int64_t ram_bytes = 0;
  StorageDriver storage = StorageDriver::kRamDisk;  ///< of the models: a board that has it is taken
  int64_t flash_bytes = 0;                          ///< at the end of flash, for storage there
  int64_t card_bytes = 0;                           ///< of a card, likewise
};

/// Sizes of what the linker kept. Start-up code, semihosting, harness and table are left out; what
/// models need from the compiler's libraries (memcpy, 64-bit division) is in.
struct FirmwareSize {
  int64_t code_bytes = 0;    ///< flash for all but the weights: instructions and constants
  int64_t weight_bytes = 0;  ///< read-only data of weight_sources
  int64_t static_ram_bytes = 0;
  int64_t stack_bytes = 0;  ///< of the deepest chain of calls, whatever the data (stack_usage.h)
  bool operator==(const FirmwareSize&) const = default;
};

/// The compiler with the options for what ships, but for its input and output.
[[nodiscard]] std::vector<std::string> shipping_command(const std::string& core);
/// "objdump", "size", "ld" of the compiler's.
[[nodiscard]] std::string binary_tool(const std::string& core, const std::string& tool);

struct Firmware {
  Board board;  ///< that it is for
  FirmwareSize size;
  std::vector<LinkedSection> sections;  ///< that count as code, weights or static RAM
};

/// Compiles and links `folder`/firmware.elf for the first of the core's boards that has the memory;
/// everything is written below `folder`. Throws CompileError if the compiler is not installed, no
/// board emulates the core, or none has the memory; InternalError if sources do not compile.
[[nodiscard]] Firmware build_firmware(const CrossBuild& build, const std::filesystem::path& folder);

/// What the linker took, whatever memory that is.
struct LinkedSizes {
  FirmwareSize size;
  std::vector<LinkedSection> sections;  ///< that count as code, weights or static RAM
  std::string disassembly;
};
/// For any core that the compiler knows. Throws CompileError if the compiler is not installed or
/// does not know the core.
[[nodiscard]] LinkedSizes measure_sizes(const CrossBuild& build);

}  // namespace thimble
