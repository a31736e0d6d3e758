// SPDX-License-Identifier: Apache-2.0
// What it costs to read, write and erase a storage: flash that is erased in blocks, a card, a host.
//
//   {"name": "flash_bank2", "kind": "block_storage",
//    "banks": [{"base": "0x08100000", "size": "1M"}],
//    "storage": {"write_granule_bytes": 32, "erase_block_bytes": "128K", "erase_seconds": 1,
//                "endurance_cycles": 10000, "transfers_in_flight": 1, "part_of_flash": true}}
#pragma once

#include <cstdint>
#include <optional>

namespace thimble {

/// Transfers that a storage may have in flight.
constexpr int kMostInFlight = 64;
/// What is written and erased at once. Larger ones are typing errors, and no plan could use them.
constexpr int64_t kMostGranuleBytes = 4096, kMostBlockBytes = int64_t{1} << 24;

/// Figures of a memory of kind kBlockStorage. Nothing: not known, which is never taken for 0. Times
/// are typical; where only a maximum is published, that (the device's sources say so).
struct StorageFigures {
  /// Writes begin and end at multiples of it: a power of two.
  std::optional<int64_t> write_granule_bytes;
  /// What is erased at once, a multiple of the granule; 0: it is overwritten without being erased.
  std::optional<int64_t> erase_block_bytes;
  std::optional<int64_t> read_bytes_per_second, write_bytes_per_second;  ///< in a row
  std::optional<double> access_seconds;  ///< until the first byte of a read or write
  std::optional<double> erase_seconds;   ///< of a block
  /// How often a block may be erased; of one that is not erased, how often a byte is written.
  std::optional<int64_t> endurance_cycles;
  std::optional<double> read_nanojoules_per_byte, write_nanojoules_per_byte;
  std::optional<double> erase_nanojoules_per_block;
  std::optional<int64_t> transfers_in_flight;  ///< that may be begun before the first has ended
  /// While it is erased or written the core waits, as it executes from the same bank or chip.
  std::optional<bool> stalls_core;
  /// Its bytes are among those of the device's `flash`: what is stored there, code and weights
  /// lack.
  bool part_of_flash = false;

  bool operator==(const StorageFigures&) const = default;
};

}  // namespace thimble
