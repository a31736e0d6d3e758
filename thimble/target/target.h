// SPDX-License-Identifier: Apache-2.0
// What a plan is made for: a core, flash, and memories in order of preference. One of one's own is
// a file; those that are known are devices (device.h).
//
//   {"name": "mine", "chip": "STM32F767ZI", "core": "cortex-m7", "clock_hz": 216000000,
//    "flash": "2M", "memories": [
//      {"name": "dtcm", "kind": "tightly_coupled", "alignment": 8,
//       "banks": [{"base": "0x20000000", "size": "128K"}]},
//      {"name": "sram", "kind": "sram", "banks": [...]}]}
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "thimble/target/core.h"
#include "thimble/target/memory.h"

namespace thimble {

struct Target {
  std::string name, chip;
  Core core;
  int64_t clock_hz = 0;
  int64_t flash_bytes = 0;       ///< for code and weights; 0: a chip whose board has it
  std::vector<Memory> memories;  ///< in order of preference; none: a core alone
  /// Wait states of flash at that clock; nothing: not known.
  std::optional<int64_t> flash_wait_states = {};
  /// Bytes that flash gives at once behind these; nothing: not known.
  std::optional<int64_t> flash_line_bytes = {};

  /// On the chip: tightly coupled and SRAM.
  [[nodiscard]] int64_t sram_bytes() const;
  /// The largest piece of on-chip memory with contiguous addresses, across memories.
  [[nodiscard]] int64_t largest_sram_run_bytes() const;
  bool operator==(const Target&) const = default;
};

/// `where` names the text in messages. Throws CompileError.
[[nodiscard]] Target parse_target(const std::string& json, const std::string& where);
[[nodiscard]] Target read_target(const std::filesystem::path& path);

/// A core alone, or none with an empty name: no clock, no memories, no limits.
[[nodiscard]] Target generic_target(const std::string& core);

}  // namespace thimble
