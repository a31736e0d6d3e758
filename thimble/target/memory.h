// SPDX-License-Identifier: Apache-2.0
// Where bytes can be: memories of a chip or board.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace thimble {

enum class MemoryKind : uint8_t {
  kTightlyCoupled,  ///< SRAM on the core's own bus
  kSram,
  kExternalRam,   ///< PSRAM, SDRAM
  kMappedFlash,   ///< reads like memory
  kBlockStorage,  ///< flash that is written in blocks, an SD card, a host: nothing computes there
  kCaller,        ///< whatever the caller of emitted code brings; no chip has it
  kStream,        ///< nowhere: rows that pass; no chip has it
};
[[nodiscard]] const char* name(MemoryKind kind);  ///< "tightly_coupled", "sram", ...
[[nodiscard]] inline bool on_chip(MemoryKind kind) {
  return kind == MemoryKind::kTightlyCoupled || kind == MemoryKind::kSram;
}

/// Contiguous addresses.
struct Bank {
  int64_t base = 0, size_bytes = 0;
  bool operator==(const Bank&) const = default;
};

/// Memory of one speed: banks of a chip, or whatever stands for memory at a border of the network.
struct Memory {
  std::string name;
  MemoryKind kind = MemoryKind::kSram;
  int64_t alignment = 4;  ///< what its bus likes, a power of two
  std::vector<Bank> banks;

  [[nodiscard]] int64_t size_bytes() const;
  /// Banks that touch count as one.
  [[nodiscard]] int64_t largest_run_bytes() const;
  bool operator==(const Memory&) const = default;
};

/// Largest sum of banks whose addresses follow one another.
[[nodiscard]] int64_t largest_run_bytes(std::vector<Bank> banks);

}  // namespace thimble
