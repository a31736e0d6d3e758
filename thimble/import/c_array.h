// SPDX-License-Identifier: Apache-2.0
// Models as C sources, which `xxd -i` and the interpreter's examples make of them:
//
//   alignas(16) const unsigned char g_model[] = {0x1c, 0x00, /* ... */ 24, };
#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "thimble/model/graph.h"

namespace thimble {

/// The bytes of the first array of integers that begins as a .tflite does; nothing if the text has
/// none. Throws CompileError if that array is cut off or has a number that is no byte.
[[nodiscard]] std::optional<Bytes> model_in_c_array(std::span<const uint8_t> text,
                                                    const std::string& where);

/// A .tflite file's bytes, or those that a C source holds. Throws CompileError as read_file does.
[[nodiscard]] Bytes read_model_file(const std::filesystem::path& file, int64_t limit_bytes);

}  // namespace thimble
