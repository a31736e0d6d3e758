// SPDX-License-Identifier: Apache-2.0
// .onnx -> Graph.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "thimble/import/import_options.h"
#include "thimble/model/graph.h"

namespace thimble {

/// The network as the file has it, with what follows from constants and shapes computed, functions
/// and branches taken apart, and images with their channels last. Throws CompileError: unreadable,
/// truncated, not ONNX, damaged, or an operator that is not supported (node, operator, reason, what
/// is supported).
[[nodiscard]] Graph import_onnx(const std::filesystem::path& file,
                                const ImportOptions& options = {});
/// `where` names the bytes in messages; `name` becomes Graph::name; `folder` is where external data
/// may lie, "": nowhere.
[[nodiscard]] Graph import_onnx(std::span<const uint8_t> bytes, const std::string& name,
                                const std::string& where, const std::string& folder,
                                const ImportOptions& options = {});

}  // namespace thimble
