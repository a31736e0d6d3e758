// SPDX-License-Identifier: Apache-2.0
// Estimated instructions in reports (docs/cost.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "thimble/program/estimate.h"

namespace thimble {

/// "37.925 M instructions on cortex-m4 (estimated); 210.7 ms at 180 MHz if each takes a cycle".
[[nodiscard]] std::string estimate_text(const CoreEstimate& estimate);

/// An object; null where there is no estimate.
[[nodiscard]] nlohmann::ordered_json estimate_json(const std::optional<CoreEstimate>& estimate);

}  // namespace thimble
