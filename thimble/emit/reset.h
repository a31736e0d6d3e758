// SPDX-License-Identifier: Apache-2.0
// NAME_reset of the emitted API: variables get their initial values. Nothing of networks without.
#pragma once

#include <string>

#include "thimble/emit/caller.h"

namespace thimble {

/// With a comment that says which bytes must be kept between inferences, and their places as
/// constants.
[[nodiscard]] std::string reset_declaration(const Program& program, const CallerSide& side,
                                            const std::string& name);
[[nodiscard]] std::string reset_definition(const Program& program, const CallerSide& side,
                                           const std::string& name);

}  // namespace thimble
