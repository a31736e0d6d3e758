// SPDX-License-Identifier: Apache-2.0
// A program as it is emitted.
#pragma once

#include "thimble/program/program.h"

namespace thimble {

/// Without the calls that do nothing (reshape in place).
[[nodiscard]] Program working_program(const Program& program);

}  // namespace thimble
