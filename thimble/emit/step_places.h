// SPDX-License-Identifier: Apache-2.0
// Where the emitted code executes a step: in a function of its own or of its loop, or as a row of
// the table that `run_steps` reads.
#pragma once

#include <string>
#include <vector>

#include "thimble/program/program.h"

namespace thimble {

struct StepPlace {
  std::string function;  ///< of NAME.cc; empty: nothing is emitted for the step
  int row = -1;          ///< of the table of steps; -1: none
  bool operator==(const StepPlace&) const = default;
};

/// Per position of the schedule.
[[nodiscard]] std::vector<StepPlace> step_places(const Graph& graph, const Program& program);

}  // namespace thimble
