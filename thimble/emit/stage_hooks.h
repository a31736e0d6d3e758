// SPDX-License-Identifier: Apache-2.0
// Emitted code a stage at a time: NAME_step, and where THIMBLE_HOOKS is defined what is called
// before and after each stage, cycles measured by that, and names of stages. Of a program that is
// traced, what it says of an inference (thimble_runtime/trace.h).
#pragma once

#include <string>
#include <vector>

#include "thimble/emit/caller.h"
#include "thimble/emit/project.h"
#include "thimble/emit/stage_calls.h"
#include "thimble/emit/stages.h"

namespace thimble {

/// What a project's functions that observe it need to know.
struct Observed {
  const Graph& graph;
  const Program& program;
  const EmitOptions& options;
  const CallerSide& side;
  const std::vector<Stage>& stages;

  [[nodiscard]] bool traced() const { return options.trace; }
  /// Whether there is NAME_step: rows set the pace where an input comes row by row, and what is in
  /// flight to and from storage belongs to one call of NAME_run.
  [[nodiscard]] bool has_step() const { return side.received == nullptr && side.storages.empty(); }
};

/// Declarations, for the header.
[[nodiscard]] std::string hook_declarations(const CallerSide& side, const EmitOptions& options,
                                            size_t stages);
/// Before the stages, within the namespace: hook, profile, trace.
[[nodiscard]] std::string hook_variables(const Observed& its);
/// Behind the stages: `execute(stage, ...)`, one of those from number `first` on.
[[nodiscard]] std::string execute_function(const Observed& its, size_t first);
/// A call of it for each, in a loop that says so to whoever listens.
[[nodiscard]] std::string execute_loop(const Observed& its, size_t first, OnFault on_fault);
/// The lines around an inference: that it begins, with what it is given, and that it has ended.
[[nodiscard]] std::string inference_begins(const Observed& its, const std::string& indent = "  ");
[[nodiscard]] std::string inference_ended(const Observed& its, const std::string& indent = "  ");
/// Outside of the namespace.
[[nodiscard]] std::string hook_definitions(const Observed& its);

}  // namespace thimble
