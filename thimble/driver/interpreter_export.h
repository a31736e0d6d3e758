// SPDX-License-Identifier: Apache-2.0
// A model written again for who keeps the interpreter: `thimble export`.
#pragma once

#include "thimble/driver/source.h"
#include "thimble/interpreter/for_interpreter.h"

namespace thimble {

/// With what the options say of rewrites and ports. Throws CompileError for networks that a .tflite
/// file cannot say: states, the audio front end, uint8.
[[nodiscard]] InterpreterFile export_for_interpreter(const Source& source,
                                                     const GraphOptions& graph,
                                                     const InterpreterOptions& options);

/// The arena of the model's own file, if it is a .tflite that the interpreter takes; of a zoo
/// network as `zoo build` writes it. Nothing: there is no such file (--until, --shape, states).
[[nodiscard]] std::optional<InterpreterArena> arena_as_given(const std::string& model,
                                                             const ImportOptions& options);

}  // namespace thimble
