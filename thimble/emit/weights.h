// SPDX-License-Identifier: Apache-2.0
// A program's constants as files of the project: C++ text that every compiler takes, or, where
// there are many of them, their bytes and assembly that includes these.
//
//   vgg16_weights.cc        __asm__(".. thimble_4096_09f3..: .incbin FILE, 0, 4096");
//   vgg16_weights.cc.bin    138 MB, where text has 640 MB and takes GCC minutes
#pragma once

#include <vector>

#include "thimble/emit/project.h"
#include "thimble/program/program.h"

namespace thimble {

/// Declarations, as "const int8_t conv_2d_0_weights[216]", each with what the linker calls it.
[[nodiscard]] EmittedFile weights_header(const Program& program, const EmitOptions& options);
/// NAME_weights.cc, and NAME_weights.cc.bin where all constants together have more bytes than
/// options.most_text_bytes.
[[nodiscard]] std::vector<EmittedFile> weights_files(const Program& program,
                                                     const EmitOptions& options);

}  // namespace thimble
