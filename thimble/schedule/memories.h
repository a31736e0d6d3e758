// SPDX-License-Identifier: Apache-2.0
// The memories that buffers lie in (docs/memories.md). Four have fixed numbers, so that a schedule
// for one on-chip memory says nothing about memories:
//
//   0 arena    on chip; where a buffer is unless it says otherwise
//   1 caller   tensors of the caller's: ports, each with a pointer of its own
//   2 stream   ports that are nowhere: rows (along kStreamAxis, of one image or one sequence) come
//              from the caller or go there one after the other, each once, row-major
//   3 flash    read-only: packed constants, which are the Program's
//   4 ...      further banks, external RAM, block storage, as the target names them
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "thimble/model/id.h"
#include "thimble/target/memory.h"

namespace thimble {

constexpr MemoryId kArena{0}, kCaller{1}, kStream{2}, kFlash{3}, kFirstFurtherMemory{4};
constexpr int kStreamAxis = 1;

constexpr size_t kMostMemories = 32;
constexpr double kMostWaitCycles = 1e6;
constexpr int64_t kMostMemoryAlignment = 4096, kMostMemoryBytes = int64_t{1} << 40;

/// How block storage is written: in granules at multiples of their size, each once behind an erase
/// of its block, if blocks are erased at all.
struct BlockStorage {
  int64_t write_bytes = 1;  ///< a granule, a power of two
  int64_t erase_bytes = 0;  ///< a block, a multiple of granules; 0: anything may be written again
  int most_in_flight = 1;   ///< transfers, erases among them
  bool operator==(const BlockStorage&) const = default;
};

/// What a schedule knows of a memory: contiguous bytes (banks that do not touch are several).
struct ScheduleMemory {
  std::string name;  ///< "psram": lower-case letters, digits, underscores
  MemoryKind kind = MemoryKind::kSram;
  std::optional<int64_t> capacity_bytes;  ///< none: as many as the layout needs
  int64_t alignment = 16;                 ///< of its first byte, a power of two
  double wait_cycles = 0;                 ///< for a byte that is read or written
  std::optional<BlockStorage> storage;    ///< of block storage, and only of it
  bool operator==(const ScheduleMemory&) const = default;
};

/// The four that every schedule begins with.
[[nodiscard]] std::vector<ScheduleMemory> common_memories();

/// Whether the layout decides where buffers lie: not in the caller's memory, a stream, or flash.
[[nodiscard]] constexpr bool is_laid_out(MemoryId memory) {
  return memory == kArena || memory >= kFirstFurtherMemory;
}

/// Empty, or what is wrong: the first four are others, names that repeat or are no names, a kind
/// that there is once only, sizes out of range.
[[nodiscard]] std::string memories_fault(const std::vector<ScheduleMemory>& memories);

/// Where the user wants the ports of a network; place_ports() makes memories of it.
enum class Place : uint8_t {
  kResident,  ///< in the arena
  kUser,      ///< in memory of the caller's; an input there is left as it is
  kStreamed,  ///< row by row
};
[[nodiscard]] const char* name(Place place);  ///< "resident", "user", "streamed"
[[nodiscard]] MemoryId memory_of(Place place);
[[nodiscard]] Place place_of(MemoryId memory);

/// Places of all inputs and of all outputs of a network.
struct PortPlaces {
  Place input = Place::kResident, output = Place::kResident;
  bool operator==(const PortPlaces&) const = default;
};

}  // namespace thimble
