// SPDX-License-Identifier: Apache-2.0
// Cores and what there is for them: `--core list`.
#pragma once

#include <string>

namespace thimble {

[[nodiscard]] std::string cores_text();

}  // namespace thimble
