// SPDX-License-Identifier: Apache-2.0
// The commit that was built.
#pragma once

namespace thimble {

/// "1a2b3c4d5e6f", with "-dirty" behind it if sources were changed since; "unknown" where there is
/// no repository.
[[nodiscard]] const char* commit();

}  // namespace thimble
