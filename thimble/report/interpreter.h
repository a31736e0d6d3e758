// SPDX-License-Identifier: Apache-2.0
// What the same file takes of a chip that interprets it: TensorFlow Lite Micro with CMSIS-NN. Its
// arena follows from its rules; the rest is known of models that were measured, which are found by
// the hash of their file, so that nothing is guessed.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace thimble {

/// Bytes, but for the instructions of an inference.
struct MeasuredInterpreter {
  std::string core;  ///< of the instructions
  int64_t instructions = 0;
  /// On a Cortex-M4, whose code it is: the arena in all, and what of it are the interpreter's own
  /// structures.
  int64_t arena_bytes = 0, persistent_bytes = 0;
  int64_t model_bytes = 0, code_bytes = 0, static_bytes = 0, stack_bytes = 0;
  std::string source;  ///< how it was measured
};

struct InterpreterFigures {
  int64_t arena_bytes = 0;  ///< of activations, by its rules
  std::optional<MeasuredInterpreter> measured;
};

/// What was measured of a model's file on a core; nothing: it was not measured there.
[[nodiscard]] std::optional<MeasuredInterpreter> measured_interpreter(const std::string& sha256,
                                                                      const std::string& core);
/// An object; null without. clock_hz: 0 if it is not known.
[[nodiscard]] nlohmann::ordered_json interpreter_json(
    const std::optional<InterpreterFigures>& found, int64_t clock_hz);

}  // namespace thimble
