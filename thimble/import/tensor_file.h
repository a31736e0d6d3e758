// SPDX-License-Identifier: Apache-2.0
// Tensors in files, and seeded random ones.
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

/// Throws CompileError for files that are unreadable, damaged, or hold a type that is not
/// supported.
[[nodiscard]] TensorFile read_safetensors(const std::filesystem::path& file);
[[nodiscard]] NamedTensor read_npy(const std::filesystem::path& file);
/// Reads the bytes of such a file; `where` names them in messages.
[[nodiscard]] NamedTensor npy_tensor(const Bytes& bytes, const std::string& where);
/// .safetensors; .npy, and .pb of ONNX, as input.0; .npz by the names that it has; a folder of
/// ONNX's test data (input_0.pb, output_0.pb, ...) as input.0, output.0, ...
[[nodiscard]] TensorFile read_tensors(const std::filesystem::path& file);
/// Written to a temporary file beside it and renamed: nothing half-written is left behind.
void write_safetensors(const std::filesystem::path& file, const TensorFile& content);
void write_npy(const std::filesystem::path& file, const NamedTensor& tensor);

/// Noise for an input; the same seed gives the same bytes on every machine. xorshift32 (shifts 13,
/// 17, 5) from seed * 2654435761 mod 2^32 xor seed / 2^32 (1 if that is 0), 16 draws dropped, one
/// draw x per element: the golden data's generator, so a seed gives the bytes of their `input.0`.
/// int8, uint8: x >> 24 (full range); int16: (x >> 8) % 40001 - 20000; int32: the signed x >> 3;
/// int64: (x >> 8) % 10; float32: (x >> 8) / 2^23 - 1, in [-1, 1); bool: x >> 31.
[[nodiscard]] Bytes random_bytes(DType type, int64_t count, uint64_t seed);

}  // namespace thimble
