// SPDX-License-Identifier: Apache-2.0
// Templates of text: "project(@NAME@)".
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace thimble {

/// `text` with each "@KEY@" in it replaced.
[[nodiscard]] std::string filled(
    std::string text, const std::vector<std::pair<std::string_view, std::string>>& values);

}  // namespace thimble
