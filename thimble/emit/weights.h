// SPDX-License-Identifier: Apache-2.0
// A program's constants as files of the project: C++ text that every compiler takes, or, where
// there are many of them, their bytes and assembly that includes these.
//
//   vgg16_weights.cc        __asm__(".. thimble_4096_09f3..: .incbin FILE, 0, 4096");
//   vgg16_weights.cc.bin    138 MB, where text has 640 MB and takes GCC minutes
//
// or bytes that are flashed by themselves, where constants are addresses:
//
//   vgg16_weights.cc        __asm__(".set thimble_4096_09f3.., VGG16_WEIGHTS_ADDRESS + 32");
//   vgg16_weights.bin       a head, by which a wrong file is found, and the bytes
#pragma once

#include <vector>

#include "thimble/emit/project.h"
#include "thimble/program/program.h"

namespace thimble {

/// Declarations, as "const int8_t conv_2d_0_weights[216]", each with what the linker calls it.
[[nodiscard]] EmittedFile weights_header(const Program& program, const EmitOptions& options);
/// Of weights in binary form, for the C header: how to find out whether they are there; else empty.
[[nodiscard]] std::string weights_declaration(const Program& program, const EmitOptions& options);
/// NAME_weights.cc, and its bytes in NAME_weights.cc.bin or NAME_weights.bin, as options.weights
/// says: by itself bytes where they are more than options.most_text_bytes.
[[nodiscard]] std::vector<EmittedFile> weights_files(const Program& program,
                                                     const EmitOptions& options);

}  // namespace thimble
