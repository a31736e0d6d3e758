// SPDX-License-Identifier: Apache-2.0
// Cores that run the very same instructions: what is counted or compiled for one holds for both.
#pragma once

#include <string>

namespace thimble {

/// The core whose models stand for this one: mostly itself.
[[nodiscard]] std::string core_of_same_code(const std::string& core);

}  // namespace thimble
