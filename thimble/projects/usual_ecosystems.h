// SPDX-License-Identifier: Apache-2.0
// Which of the ecosystems people with a board are likely to have: that of the chip's vendor, and
// Arduino's where the board's vendor has a core of Arduino's for it.
#pragma once

#include <string>
#include <vector>

namespace thimble {

/// Names for --export, the chip's vendor's own first; none: nothing is known of that vendor.
[[nodiscard]] std::vector<std::string> usual_ecosystems(const std::string& chip,
                                                        const std::string& chip_vendor,
                                                        const std::string& board_vendor);

}  // namespace thimble
