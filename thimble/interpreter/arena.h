// SPDX-License-Identifier: Apache-2.0
// How much of its arena TensorFlow Lite Micro needs for a file: for tensors what its planner comes
// to and what an offline plan does, and its own structures.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace thimble {

struct InterpreterArena {
  /// As its GreedyMemoryPlanner places them: the largest first, of equal ones the later, each at
  /// the lowest gap.
  int64_t greedy_bytes = 0;
  /// With the file's offline plan, what that leaves open placed around it; nothing: it has none.
  std::optional<int64_t> offline_bytes;
  int64_t structures_bytes = 0;  ///< estimated (structures.h)

  /// What the interpreter takes for tensors.
  [[nodiscard]] int64_t tensor_bytes() const { return offline_bytes.value_or(greedy_bytes); }
  [[nodiscard]] int64_t bytes() const { return tensor_bytes() + structures_bytes; }
};

/// `where` names the bytes in messages. Throws CompileError for what is no .tflite file, and for a
/// malformed offline plan.
[[nodiscard]] InterpreterArena interpreter_arena(std::span<const uint8_t> file,
                                                 const std::string& where);

/// Offsets per tensor of the file with the least arena that is found, scratch counted.
[[nodiscard]] std::vector<int32_t> offline_plan(std::span<const uint8_t> file,
                                                const std::string& where);

}  // namespace thimble
