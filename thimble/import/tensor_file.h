// SPDX-License-Identifier: Apache-2.0
// Tensors in files: .safetensors and .npy, and seeded random ones.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "thimble/model/graph.h"

namespace thimble {

struct NamedTensor {
  DType type = DType::kInt8;
  Shape shape;
  Bytes data;
  bool operator==(const NamedTensor&) const = default;
};

struct TensorFile {
  std::map<std::string, NamedTensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// Throws CompileError for files that are unreadable, damaged, or hold a type that is not supported.
[[nodiscard]] TensorFile read_safetensors(const std::filesystem::path& file);
[[nodiscard]] NamedTensor read_npy(const std::filesystem::path& file);
/// Written to a temporary file beside it and renamed: nothing half-written is left behind.
void write_safetensors(const std::filesystem::path& file, const TensorFile& content);
void write_npy(const std::filesystem::path& file, const NamedTensor& tensor);

/// Full-range noise for an input; the same seed gives the same bytes on every machine. float32: values
/// that spread over [-1, 1).
[[nodiscard]] Bytes random_bytes(DType type, int64_t count, uint64_t seed);

}  // namespace thimble
