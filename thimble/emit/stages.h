// SPDX-License-Identifier: Apache-2.0
// The functions of the emitted code: one per step, or one per loop with everything in it.
#pragma once

#include <string>
#include <vector>

#include "thimble/program/program.h"

namespace thimble {

struct Stage {
  std::string name;  ///< of the function
  std::string text;  ///< its definition with a comment
};

/// In order of execution. `data` is the namespace of the constants.
[[nodiscard]] std::vector<Stage> stages(const Graph& graph, const Program& program,
                                        const std::string& data);

}  // namespace thimble
