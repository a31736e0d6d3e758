// SPDX-License-Identifier: Apache-2.0
// Boards and their memories: `thimble devices`.
#pragma once

#include <string>
#include <vector>

#include "thimble/target/target.h"

namespace thimble {

[[nodiscard]] std::string devices_text(const std::vector<Target>& devices);
[[nodiscard]] std::string devices_json(const std::vector<Target>& devices);

}  // namespace thimble
