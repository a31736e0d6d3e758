// SPDX-License-Identifier: Apache-2.0
// From what files hold to the bytes that an input takes: said once, by the user or by the model.
//
//   photo.jpg 640x480 -> 96x96 gray, bilinear, stretched, (x-127.5)/127.5 = int8 x-128
#pragma once

#include <string>
#include <vector>

#include "thimble/inputs/image.h"
#include "thimble/inputs/input_port.h"

namespace thimble {

/// The bytes of one input, with what was done, for people.
struct PreparedInput {
  Bytes bytes;
  std::string how;
  std::vector<std::string> warnings;
};

/// Throws CompileError, in the name of `where`, where the input takes no picture, the picture has
/// another size and is not to be resized, or options do not fit.
[[nodiscard]] PreparedInput prepared_picture(const InputPort& port, const Image& image,
                                             const Preprocessing& asked, const std::string& where);
/// Numbers as they are, but for a normalisation that is asked for. Throws CompileError unless they
/// are as many as the input's elements.
[[nodiscard]] PreparedInput prepared_numbers(const InputPort& port, std::vector<float> values,
                                             const Preprocessing& asked, const std::string& where);

}  // namespace thimble
