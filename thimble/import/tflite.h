// SPDX-License-Identifier: Apache-2.0
// .tflite -> Graph, through the flatbuffers verifier.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

struct NamedShape {
  std::string input;  ///< "": the only one
  Shape shape;
};

struct ImportOptions {
  /// Names or numbers of tensors that become the network's outputs, with what they need and nothing
  /// else; none: the outputs that the file has.
  std::vector<std::string> until = {};
  /// Shapes of inputs, instead of what the file has; all others follow.
  std::vector<NamedShape> shapes = {};
};

/// The network as the file has it: operators in the file's order with their numbers, nothing
/// rewritten. Throws CompileError: unreadable, truncated, not a .tflite, damaged, or an operator
/// that is not supported (operator, number, reason, what is supported).
[[nodiscard]] Graph import_tflite(const std::filesystem::path& file,
                                  const ImportOptions& options = {});
/// `where` names the bytes in messages; `name` becomes Graph::name.
[[nodiscard]] Graph import_tflite(std::span<const uint8_t> bytes, const std::string& name,
                                  const std::string& where, const ImportOptions& options = {});

}  // namespace thimble
