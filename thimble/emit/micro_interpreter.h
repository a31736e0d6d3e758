// SPDX-License-Identifier: Apache-2.0
// Headers with the interface of tflite::MicroInterpreter in front of an emitted model, for
// applications that are written for that: NAME_micro_interpreter.h in place of the model's data,
// and the same for all models thimble_micro_interpreter/, an include folder in place of the
// interpreter's, with headers of the names that it has there.
#pragma once

#include <vector>

#include "thimble/emit/project.h"

namespace thimble {

/// Throws CompileError for a program whose inputs and outputs do not lie in one arena.
[[nodiscard]] std::vector<EmittedFile> micro_interpreter_files(const Graph& graph,
                                                               const Program& program,
                                                               const EmitOptions& options);

}  // namespace thimble
