// SPDX-License-Identifier: Apache-2.0
// What the interpreter needs for a file that was written for it: `thimble export`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "thimble/interpreter/for_interpreter.h"

namespace thimble {

struct InterpreterReport {
  InterpreterFile file;
  std::string model;                      ///< as the user named it
  std::string path;                       ///< of the file that is written
  std::optional<InterpreterArena> given;  ///< of the model's own file
};

[[nodiscard]] nlohmann::ordered_json arena_json(const InterpreterArena& arena);
[[nodiscard]] std::string interpreter_text(const InterpreterReport& report);
[[nodiscard]] std::string interpreter_json(const InterpreterReport& report);

}  // namespace thimble
