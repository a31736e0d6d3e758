// SPDX-License-Identifier: Apache-2.0
// The networks of the zoo and their parameters: `thimble zoo list`.
#pragma once

#include <string>

namespace thimble {

[[nodiscard]] std::string zoo_text();
[[nodiscard]] std::string zoo_json();

}  // namespace thimble
