// SPDX-License-Identifier: Apache-2.0
// What somebody may have meant who typed an option that there is not.
#pragma once

#include <string>
#include <vector>

namespace thimble {

/// The name that has `typed` in it or differs in the fewest letters ("ram" -> "sram"); empty if
/// none is near.
[[nodiscard]] std::string nearest_name(const std::string& typed,
                                       const std::vector<std::string>& names);

}  // namespace thimble
