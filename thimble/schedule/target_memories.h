// SPDX-License-Identifier: Apache-2.0
// The memories of a target as a schedule knows them.
#pragma once

#include <string>
#include <vector>

#include "thimble/schedule/memories.h"
#include "thimble/target/target.h"

namespace thimble {

/// The memories that a schedule for the target can use. The arena is the largest run of on-chip
/// banks that touch; behind it come the other runs, in order of preference, then external RAM if it
/// is wanted. A second run of the same memory is called "sram_2".
[[nodiscard]] std::vector<ScheduleMemory> schedule_memories(const Target& target,
                                                            bool external_ram);

/// "qspi_flash", of "QSPI flash": what a schedule, and emitted code, can call a target's memory.
[[nodiscard]] std::string memory_identifier(const std::string& text);

}  // namespace thimble
