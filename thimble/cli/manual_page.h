// SPDX-License-Identifier: Apache-2.0
// A page of the manual (man 7 man) for a command, written from its options.
#pragma once

#include <string>

#include "thimble/cli/command_tree.h"

namespace thimble {

/// "thimble-zoo-build"; the page's file has ".1" behind it.
[[nodiscard]] std::string page_name(const CommandTree& command);
[[nodiscard]] std::string manual_page(const CommandTree& command);

}  // namespace thimble
