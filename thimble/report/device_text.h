// SPDX-License-Identifier: Apache-2.0
// One device in full: `thimble devices NAME`.
#pragma once

#include <optional>
#include <string>

#include "thimble/target/device.h"

namespace thimble {

/// Its core, clock and flash, each memory with its banks and what it costs, what its description
/// leaves open, and its sources.
[[nodiscard]] std::string device_text(const Device& device);

/// That flash has wait states which no estimate of time counts; nothing if it has none, or if they
/// are not known. What of them a cache or a buffer hides depends on the chip.
[[nodiscard]] std::optional<std::string> wait_states_note(const Target& target);

}  // namespace thimble
