// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "thimble/program/program.h"

namespace thimble {

/// Names of the functions of the emitted code's stages, of rows of its table likewise. The program
/// is a working one (emit/working_program.h).
[[nodiscard]] std::vector<std::string> stage_functions(const Graph& graph, const Program& program);

}  // namespace thimble
