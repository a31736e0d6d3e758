// SPDX-License-Identifier: Apache-2.0
// A model of any format -> Graph.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "thimble/import/import_options.h"
#include "thimble/import/survey.h"
#include "thimble/model/graph.h"

namespace thimble {

enum class ModelFormat : uint8_t { kTflite, kOnnx };

/// By its content, and where that leaves it open by the end of its name: .tflite but for .onnx.
[[nodiscard]] ModelFormat format_of(std::span<const uint8_t> bytes, const std::string& where);

/// import_tflite() or import_onnx(). `where` names the bytes in messages, and the file beside which
/// external data may lie; `name` becomes Graph::name. Throws CompileError.
[[nodiscard]] Graph import_model(std::span<const uint8_t> bytes, const std::string& name,
                                 const std::string& where, const ImportOptions& options = {});
/// survey_tflite() or survey_onnx().
[[nodiscard]] Survey survey_model(const std::filesystem::path& file,
                                  const ImportOptions& options = {});

}  // namespace thimble
