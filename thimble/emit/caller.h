// SPDX-License-Identifier: Apache-2.0
// What the caller of emitted code brings: arenas, tensors of its own, rows, callbacks.
#pragma once

#include <string>
#include <vector>

#include "thimble/program/program.h"

namespace thimble {

/// A parameter of the emitted API, and a field of what the stages are handed.
struct CallerField {
  std::string type, name;  ///< "const int8_t*", "input"
  BufferId buffer;         ///< invalid: a callback or its context
};

struct CallerSide {
  std::vector<std::string> arenas;        ///< pointers: "arena", then those of other memories
  std::vector<std::string> storages;      ///< drivers of block storage: "qspi"
  std::vector<std::string> images;        ///< of these, with an image of packed constants
  std::string memories_type;              ///< "NAME_memories", with a field for each; one: empty
  std::vector<CallerField> fields;        ///< tensors of the user's; deliver and context
  const ProgramPort* received = nullptr;  ///< an input that comes row by row
  const ProgramPort* delivered = nullptr;

  [[nodiscard]] std::string arguments() const;  ///< "input, deliver, context"
  /// "void* arena", with `suffix` behind the name, or "const NAME_memories* memories".
  [[nodiscard]] std::string arena_parameter(const char* suffix) const;
  /// What is handed over for it: "arena", or "&memories" of a variable of that type.
  [[nodiscard]] const char* arena_argument() const;
  /// "int", a status, where there is storage; else "void".
  [[nodiscard]] const char* result_type() const { return storages.empty() ? "void" : "int"; }
  /// That and "int8_t* output, NAME_receive receive, void* context", of NAME_run.
  [[nodiscard]] std::string run_parameters(const char* suffix, const std::string& name) const;
};

/// name: of the emitted project. The program must outlive the answer.
[[nodiscard]] CallerSide caller_side(const Program& program, const std::string& name);

/// "input", numbered if there are several.
[[nodiscard]] std::string port_label(const char* what, size_t number, size_t count);
/// "input" or "output_1" of a port that lies outside of the arena.
[[nodiscard]] std::string outside_name(const Program& program, BufferId buffer);

/// Rows of a streamed port, and the elements of each.
struct StreamRows {
  int64_t rows = 0, row_elements = 0;
};
[[nodiscard]] StreamRows stream_rows(const Graph& graph, const ProgramPort& port);

}  // namespace thimble
