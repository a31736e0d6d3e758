// SPDX-License-Identifier: Apache-2.0
// Where bytes can be: memories of a chip or board.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "thimble/target/storage_figures.h"

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
  /// Whether the core can read it at a fixed address. Others (a card, PSRAM that firmware maps
  /// where it wishes) begin at multiples of kUnmappedBase.
  [[nodiscard]] bool has_address() const;
  bool operator==(const Bank&) const = default;
};
constexpr int64_t kUnmappedBase = int64_t{1} << 33;  // beyond all addresses, so far that none touch
inline bool Bank::has_address() const { return base < kUnmappedBase; }

/// Memory of one speed: banks of a chip, or whatever stands for memory at a border of the network.
struct Memory {
  std::string name;
  MemoryKind kind = MemoryKind::kSram;
  int64_t alignment = 4;  ///< what its bus likes, a power of two
  std::vector<Bank> banks;
  int64_t bytes_per_second = 0;  ///< read or written in a row; 0: not known
  /// Block storage, and only that, has them; nothing: none of its figures is known.
  std::optional<StorageFigures> storage = {};

  [[nodiscard]] int64_t size_bytes() const;
  /// Banks that touch count as one.
  [[nodiscard]] int64_t largest_run_bytes() const;
  bool operator==(const Memory&) const = default;
};

/// Cycles of a core for which it waits for a byte, beyond what instructions take: none of memories
/// on chip, kAssumedWaitCycles of external RAM, unless its bandwidth is known.
[[nodiscard]] double wait_cycles(const Memory& memory, int64_t clock_hz);
constexpr double kAssumedWaitCycles = 4;  // 54 MB/s at 216 MHz

/// Largest sum of banks whose addresses follow one another.
[[nodiscard]] int64_t largest_run_bytes(std::vector<Bank> banks);

}  // namespace thimble
