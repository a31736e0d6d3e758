// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tensor_file.h"

#include <fmt/format.h>

#include "thimble/import/file_bytes.h"
#include "thimble/import/file_limits.h"
#include "thimble/import/onnx/constant.h"
#include "thimble/import/zip.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

namespace fs = std::filesystem;

NamedTensor read_pb(const fs::path& file) {
  const Bytes bytes = read_file(file, kMaxFileBytes);
  const onnx::TensorRecord record = onnx::read_tensor(bytes, file.string());
  onnx::Constant constant = onnx::constant_of(record, "", file.string());
  return {.type = constant.type, .shape = std::move(constant.shape), .data = *constant.data};
}

TensorFile read_npz(const fs::path& file) {
  constexpr std::string_view kEnd = ".npy";
  const Bytes bytes = read_file(file, kMaxFileBytes);
  TensorFile content;
  for (const std::string& member : zip_members(bytes, file.string())) {
    if (!member.ends_with(kEnd)) continue;
    const std::string text = zip_member(bytes, member, kMaxFileBytes, file.string());
    content.tensors[member.substr(0, member.size() - kEnd.size())] =
        npy_tensor(Bytes(text.begin(), text.end()), fmt::format("{}: {}", file.string(), member));
  }
  return content;
}

TensorFile read_test_data(const fs::path& folder) {
  TensorFile content;
  for (const char* kind : {"input", "output"}) {
    for (int k = 0;; ++k) {
      const fs::path file = folder / fmt::format("{}_{}.pb", kind, k);
      if (!fs::exists(file)) break;
      content.tensors[fmt::format("{}.{}", kind, k)] = read_pb(file);
    }
  }
  if (content.tensors.empty())
    throw CompileError(folder.string(), "is a folder without input_0.pb, as ONNX's test data have");
  return content;
}

}  // namespace

TensorFile read_tensors(const fs::path& file) {
  const std::string end = file.extension().string();
  if (end == ".safetensors") return read_safetensors(file);
  if (end == ".npz") return read_npz(file);
  if (fs::is_directory(file)) return read_test_data(file);
  TensorFile content;
  if (end == ".npy") content.tensors["input.0"] = read_npy(file);
  if (end == ".pb") content.tensors["input.0"] = read_pb(file);
  if (content.tensors.empty())
    throw CompileError(file.string(), "tensors come from .npy, .npz, .safetensors or .pb files");
  return content;
}

}  // namespace thimble
