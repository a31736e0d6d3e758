// SPDX-License-Identifier: Apache-2.0
// Which of the ecosystems people with a board are likely to have: those of the vendors of chip and
// board, and Arduino's where the board's vendor has a core of Arduino's for it.
#pragma once

#include <string>
#include <vector>

#include "thimble/target/device.h"

namespace thimble {

/// Names for --export; none: nothing is known of these vendors.
[[nodiscard]] std::vector<std::string> usual_ecosystems(const Device& device);

}  // namespace thimble
