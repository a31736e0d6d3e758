// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/model_file.h"

#include <algorithm>
#include <string_view>

#include "thimble/import/c_array.h"
#include "thimble/import/file_limits.h"
#include "thimble/import/onnx.h"
#include "thimble/import/tflite.h"

namespace thimble {
namespace {

std::string folder_of(const std::string& where) {
  const std::filesystem::path folder = std::filesystem::path(where).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace

ModelFormat format_of(std::span<const uint8_t> bytes, const std::string& where) {
  constexpr std::string_view kTfliteMark = "TFL3";
  constexpr size_t kPlace = 4;
  if (bytes.size() >= kPlace + kTfliteMark.size() &&
      std::ranges::equal(bytes.subspan(kPlace, kTfliteMark.size()), kTfliteMark))
    return ModelFormat::kTflite;
  std::string end = std::filesystem::path(where).extension().string();
  std::ranges::transform(end, end.begin(), [](char c) {
    return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return end == ".onnx" ? ModelFormat::kOnnx : ModelFormat::kTflite;
}

Graph import_model(std::span<const uint8_t> bytes, const std::string& name,
                   const std::string& where, const ImportOptions& options) {
  return format_of(bytes, where) == ModelFormat::kOnnx
             ? import_onnx(bytes, name, where, folder_of(where), options)
             : import_tflite(bytes, name, where, options);
}

Survey survey_model(const std::filesystem::path& file, const ImportOptions& options) {
  const Bytes bytes = read_model_file(file, kMaxFileBytes);
  const std::string name = file.stem().string(), where = file.string();
  return format_of(bytes, where) == ModelFormat::kOnnx
             ? survey_onnx(bytes, name, where, folder_of(where), options)
             : survey_tflite(bytes, name, where, options);
}

}  // namespace thimble
