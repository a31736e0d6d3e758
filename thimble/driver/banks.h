// SPDX-License-Identifier: Apache-2.0
// What lies in a target's on-chip memory by pieces with contiguous addresses.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/target/target.h"

namespace thimble {

/// Bytes of each run of on-chip memory, the largest first; banks that touch are one run.
[[nodiscard]] std::vector<int64_t> on_chip_runs(const Target& target);
/// Whether on-chip memory beside the largest piece has room for so much.
[[nodiscard]] bool lies_in_another_bank(const Target& target, int64_t bytes);
/// Whether it has room for pieces that each need contiguous addresses.
[[nodiscard]] bool lie_in_banks(const Target& target, std::vector<int64_t> pieces);

}  // namespace thimble
