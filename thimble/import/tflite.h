// SPDX-License-Identifier: Apache-2.0
// .tflite -> Graph, through the flatbuffers verifier.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "thimble/import/import_options.h"
#include "thimble/model/graph.h"

namespace thimble {

/// The network as the file has it: operators in the file's order with their numbers, nothing
/// rewritten. Throws CompileError: unreadable, truncated, not a .tflite, damaged, or an operator
/// that is not supported (operator, number, reason, what is supported).
[[nodiscard]] Graph import_tflite(const std::filesystem::path& file,
                                  const ImportOptions& options = {});
/// `where` names the bytes in messages; `name` becomes Graph::name.
[[nodiscard]] Graph import_tflite(std::span<const uint8_t> bytes, const std::string& name,
                                  const std::string& where, const ImportOptions& options = {});

}  // namespace thimble
