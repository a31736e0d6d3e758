// SPDX-License-Identifier: Apache-2.0
// What else to ask for where a plan does not fit, with the figures that it reaches.
#pragma once

#include <vector>

#include "thimble/driver/driver.h"
#include "thimble/report/compile_report.h"

namespace thimble {

/// Other planners and options for the same model, in the words of the command line, that need fewer
/// bytes of arena than `arena_bytes` and than all that ask for less; the least first. Each is
/// planned, placed and verified; request.progress may cancel it, and what is refused is left out.
[[nodiscard]] std::vector<Alternative> alternatives(const Request& request, int64_t arena_bytes);

}  // namespace thimble
