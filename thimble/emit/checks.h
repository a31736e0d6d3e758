// SPDX-License-Identifier: Apache-2.0
// What emitted code looks at where THIMBLE_CHECKS is defined (Debug builds): what the caller hands
// over. A check that fails traps, or does what the application's THIMBLE_ASSERT(condition) does.
#pragma once

#include <string>
#include <vector>

#include "thimble/emit/caller.h"

namespace thimble {

/// Before the functions: what a check is.
[[nodiscard]] std::string check_definition();
/// Lines of a function; nothing without conditions.
[[nodiscard]] std::string checks_text(const std::vector<std::string>& conditions);

/// That the arenas which are used are there, and aligned. name: of the project.
[[nodiscard]] std::vector<std::string> arena_conditions(const CallerSide& side,
                                                        const std::vector<std::string>& used,
                                                        const std::string& name);
/// That tensors of the caller's and what takes rows are there.
[[nodiscard]] std::vector<std::string> field_conditions(const CallerSide& side);

}  // namespace thimble
