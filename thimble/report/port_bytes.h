// SPDX-License-Identifier: Apache-2.0
// Memory of the caller's that ports take.
#pragma once

#include <vector>

#include "thimble/program/program.h"

namespace thimble {

/// All inputs, or all outputs.
struct PortBytes {
  Place place = Place::kResident;
  int64_t bytes = 0;  ///< outside of the arena, in the caller's memory
};

/// Rows are handed over one at a time: the caller needs memory for one, if any.
[[nodiscard]] PortBytes port_bytes(const Graph& graph, const Program& program,
                                   const std::vector<ProgramPort>& ports);

}  // namespace thimble
