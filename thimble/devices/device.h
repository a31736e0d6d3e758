// SPDX-License-Identifier: Apache-2.0
// What a board offers: a core, flash, and tiers of memory in order of preference.
//
//   {"name": "nucleo-f767zi", "chip": "STM32F767ZI", "core": "cortex-m7", "clock_hz": 216000000,
//    "flash": "2M", "tiers": [
//      {"name": "dtcm", "kind": "tightly_coupled", "alignment": 8,
//       "banks": [{"base": "0x20000000", "size": "128K"}]},
//      {"name": "sram", "kind": "sram", "banks": [...]}]}
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace thimble {

enum class TierKind : uint8_t {
  kTightlyCoupled,  ///< SRAM on the core's own bus
  kSram,
  kExternalRam,  ///< PSRAM, SDRAM
  kMappedFlash,  ///< reads like memory
  kBlockStorage,
};
[[nodiscard]] const char* name(TierKind kind);  ///< "tightly_coupled", "sram", ...

/// Contiguous addresses.
struct Bank {
  int64_t base = 0, size_bytes = 0;
  bool operator==(const Bank&) const = default;
};

/// Memory of one speed.
struct Tier {
  std::string name;
  TierKind kind = TierKind::kSram;
  int64_t alignment = 4;  ///< what its bus likes, a power of two
  std::vector<Bank> banks;

  [[nodiscard]] int64_t size_bytes() const;
  /// Banks that touch count as one.
  [[nodiscard]] int64_t largest_run_bytes() const;
  bool operator==(const Tier&) const = default;
};

struct Device {
  std::string name, chip;
  std::string core;  ///< as GCC's -mcpu takes it: "cortex-m4"
  int64_t clock_hz = 0;
  int64_t flash_bytes = 0;  ///< for code and weights
  std::vector<Tier> tiers;  ///< in order of preference

  /// On the chip: tightly coupled and SRAM.
  [[nodiscard]] int64_t sram_bytes() const;
  /// The largest piece of on-chip memory with contiguous addresses, across tiers.
  [[nodiscard]] int64_t largest_sram_run_bytes() const;
  bool operator==(const Device&) const = default;
};

/// `where` names the text in messages. Throws CompileError.
[[nodiscard]] Device parse_device(const std::string& json, const std::string& where);
[[nodiscard]] Device read_device(const std::filesystem::path& path);

/// By name.
[[nodiscard]] std::vector<Device> builtin_devices();
/// A builtin device, or a description if `name` ends in ".json". Throws CompileError, listing what
/// exists.
[[nodiscard]] Device find_device(const std::string& name);

}  // namespace thimble
