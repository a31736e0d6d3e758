// SPDX-License-Identifier: Apache-2.0
// One device in full: `thimble devices NAME`.
#pragma once

#include <string>

#include "thimble/target/device.h"

namespace thimble {

/// Its core, clock and flash, each memory with its banks and what it costs, what its description
/// leaves open, and its sources.
[[nodiscard]] std::string device_text(const Device& device);

}  // namespace thimble
