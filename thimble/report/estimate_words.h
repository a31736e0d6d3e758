// SPDX-License-Identifier: Apache-2.0
// Estimated instructions in reports (docs/cost.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "thimble/analysis/traffic.h"
#include "thimble/program/estimate.h"

namespace thimble {

/// "instructions", or "cycles".
[[nodiscard]] const char* unit_of(const CoreEstimate& estimate);

/// "37.925 M instructions on cortex-m4 (estimated); 210.7 ms at 180 MHz if each takes a cycle"; or
/// "41.310 M cycles on cortex-m4 (by a board's profile); 229.5 ms at 180 MHz".
[[nodiscard]] std::string estimate_text(const CoreEstimate& estimate);

/// "psram: 18.083 M cycles, for 4.521 M bytes read and written; 130.200 M if all buffers lay
/// there".
[[nodiscard]] std::string waits_text(const Schedule& schedule, const MemoryWaits& waits);

/// An object; null where there is no estimate.
[[nodiscard]] nlohmann::ordered_json estimate_json(const std::optional<CoreEstimate>& estimate);

}  // namespace thimble
