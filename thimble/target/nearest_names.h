// SPDX-License-Identifier: Apache-2.0
// What somebody who typed a name that does not exist may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thimble {

/// Letters in lower case and digits, nothing else: "ESP32-C3" and "esp32_c3" are "esp32c3".
[[nodiscard]] std::string plain_name(std::string_view name);
/// The nearest of `names`, in their order if as near: by the least number of letters to insert,
/// remove or replace, those in which `typed` occurs first. Spelling does not matter (plain_name).
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view typed,
                                                     std::span<const std::string> names,
                                                     size_t most);

}  // namespace thimble
