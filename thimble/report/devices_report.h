// SPDX-License-Identifier: Apache-2.0
// Boards, chips and their memories: `thimble devices`.
#pragma once

#include <string>
#include <vector>

#include "thimble/target/device.h"

namespace thimble {

/// Boards, chips, and apart from them the boards of emulators.
[[nodiscard]] std::string devices_text(const std::vector<Device>& devices);
/// A table for each vendor of chips, with a row for devices that have the same figures: what
/// docs/boards.md has.
[[nodiscard]] std::string devices_markdown(const std::vector<Device>& devices);
[[nodiscard]] std::string devices_json(const std::vector<Device>& devices);

}  // namespace thimble
