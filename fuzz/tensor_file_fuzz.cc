// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any file is read as .safetensors and as .npy, or refused with CompileError;
// what is read survives being written and read again. Built like import_fuzz.cc, target
// fuzz_tensor_file.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "thimble/import/tensor_file.h"
#include "thimble/model/error.h"

namespace {

namespace fs = std::filesystem;

void read_as_safetensors(const fs::path& file, const fs::path& copy) {
  try {
    const thimble::TensorFile content = thimble::read_safetensors(file);
    thimble::write_safetensors(copy, content);
    thimble::check(thimble::read_safetensors(copy).tensors == content.tensors,
                   "a .safetensors file changed in a round trip");
  } catch (const thimble::CompileError&) {
    // The input's fault, and said so.
  }
}

void read_as_npy(const fs::path& file, const fs::path& copy) {
  try {
    const thimble::NamedTensor tensor = thimble::read_npy(file);
    thimble::write_npy(copy, tensor);
    thimble::check(thimble::read_npy(copy) == tensor, "a .npy file changed in a round trip");
  } catch (const thimble::CompileError&) {
    // The input's fault, and said so.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string name = "thimble_fuzz." + std::to_string(::getpid());
  const fs::path file = fs::temp_directory_path() / name;
  const fs::path copy = fs::temp_directory_path() / (name + ".copy");
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  read_as_safetensors(file, copy);
  read_as_npy(file, copy);
  fs::remove(file);
  fs::remove(copy);
  return 0;
}
