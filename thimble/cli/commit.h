// SPDX-License-Identifier: Apache-2.0
// The commit that was built, and its day.
#pragma once

namespace thimble {

/// "1a2b3c4d5e6f", with "-dirty" behind it if sources were changed since; "unknown" where there is
/// no repository.
[[nodiscard]] const char* commit();
/// "2026-11-28"; "" where there is no repository.
[[nodiscard]] const char* commit_date();

}  // namespace thimble
