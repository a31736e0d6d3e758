// SPDX-License-Identifier: Apache-2.0
// The emitted header, usable from C and C++, and an example of its use.
#pragma once

#include <string>

#include "thimble/emit/project.h"

namespace thimble {

[[nodiscard]] std::string c_header(const Graph& graph, const Program& program,
                                   const EmitOptions& options);
[[nodiscard]] std::string c_example(const Graph& graph, const Program& program,
                                    const EmitOptions& options);

}  // namespace thimble
